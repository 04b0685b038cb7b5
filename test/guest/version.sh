#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The program runs on this kernel and reports that it may use BPF.
"$CUPEL" version --build-options
"$CUPEL" version --build-options | grep -q '^ *bpf: yes$'
