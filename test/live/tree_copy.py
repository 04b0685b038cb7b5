# SPDX-License-Identifier: GPL-2.0-or-later
"""Copies of the source tree for tests that build it. A file of the same contents keeps its time, so that a
second run builds only what has changed.
Usage: tree_copy.py FOLDER [PREFIX]: copies all files except PREFIX…."""
import os
import subprocess
import sys

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def read_tree():
    """Contents and modes of the tree's files (tools/list-files), by relative path."""
    listed = subprocess.run([os.path.join(TOP, "tools/list-files")], stdout=subprocess.PIPE, text=True, check=True)
    tree = {}
    for name in listed.stdout.splitlines():
        with open(os.path.join(TOP, name), "rb") as file:
            tree[name] = (file.read(), os.stat(file.fileno()).st_mode & 0o777)
    return tree


def is_same(path, data):
    try:
        with open(path, "rb") as file:
            return file.read() == data
    except FileNotFoundError:
        return False


def write_tree(tree, folder, built=()):
    """Makes the folder equal to the tree, but for the folders `built` in it."""
    for root, folders, names in os.walk(folder):
        if root == folder:
            folders[:] = [name for name in folders if name not in built]
        for name in names:
            path = os.path.join(root, name)
            if os.path.relpath(path, folder) not in tree:
                os.unlink(path)
    for name, (data, mode) in tree.items():
        path = os.path.join(folder, name)
        if not is_same(path, data):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
        os.chmod(path, mode)


if __name__ == "__main__":
    write_tree({name: file for name, file in read_tree().items()
                if len(sys.argv) < 3 or not name.startswith(sys.argv[2])},
               sys.argv[1], ["build", "build-static"])
