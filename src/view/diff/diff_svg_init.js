/* SPDX-License-Identifier: GPL-2.0-or-later */
window.init = () => {
	let hooks = null;
	return flameSvgPage.open(tree => (hooks = diffHooks.make(tree)),
		(view, host) => host.prepend(hooks.bar(view)));
};
