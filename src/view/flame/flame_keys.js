/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys, as a table: what is pressed, what it does, what the help says. */
const flameKeys = (() => {
	const KEYS = [
		{ keys: ["ArrowUp", "ArrowDown"], help: "to the caller and the callee, as drawn" },
		{ keys: ["ArrowLeft", "ArrowRight"], help: "to the next sibling" },
		{ keys: ["Enter"], help: "zoom to the frame" },
		{ keys: ["Escape"], help: "clear the search, then the zoom" },
		{ keys: ["Home"], help: "to the root" },
		{ keys: ["/", "F3", "Ctrl-F"], help: "search" },
		{ keys: ["n", "N"], help: "next match, previous match" },
		{ keys: ["Ctrl-I"], help: "ignore case" },
		{ keys: ["i"], help: "icicle: root at the top" },
		{ keys: ["r"], help: "leaf first" },
		{ keys: ["o"], help: "order by width, time (if recorded) or name" },
		{ keys: ["c"], help: "merge recursion" },
		{ keys: ["t"], help: "table of functions" },
		{ keys: ["f", "h", "x"], help: "focus on the function, hide it, drop its stacks" },
		{ keys: ["s"], help: "callers and callees of the function" },
		{ keys: ["l"], help: "lines of the function, if known" },
		{ keys: ["p"], help: "next colour scheme" },
		{ keys: ["m"], help: "menu of the frame" },
		{ keys: ["u", "U"], help: "undo, redo" },
		{ keys: ["?"], help: "this help" },
	];

	/* The name under which a key is looked up: "Ctrl-F", "n", "N", "ArrowUp". */
	function nameOf(event) {
		const control = event.ctrlKey || event.metaKey;
		if (event.altKey)
			return "";
		return control ? "Ctrl-" + event.key.toUpperCase() : event.key;
	}

	/* actions: { key name: function }. In a text field only keys with Ctrl, F3 and Escape count. */
	function listen(actions) {
		window.addEventListener("keydown", event => {
			const name = nameOf(event), typing = ["input", "select"].includes(
				event.target.tagName.toLowerCase());
			const action = actions[name];
			if (!action || (typing && name.length === 1) || (typing && name.startsWith("Arrow")) ||
				(typing && name === "Home"))
				return;
			if (name === "Enter" && event.target.tagName.toLowerCase() === "select")
				return;
			if (name === "Enter" && !typing && event.target.closest &&
				event.target.closest("button, tr, a"))
				return;
			if (action(event) !== false)
				event.preventDefault();
		});
	}

	return { KEYS, listen };
})();
