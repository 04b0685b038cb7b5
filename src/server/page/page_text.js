/* SPDX-License-Identifier: GPL-2.0-or-later */
"use strict";
/* Elements, and amounts and times as text. Text from the store is only ever put into text nodes and
 * attributes. */
const pageText = (() => {
	function make(tag, attributes, ...children) {
		const element = document.createElement(tag);
		for (const [name, value] of Object.entries(attributes || {}))
			if (value !== null)
				element.setAttribute(name, value);
		element.append(...children);
		return element;
	}

	function button(text, title, press, attributes) {
		const made = make("button", Object.assign({ type: "button", title }, attributes), text);
		made.addEventListener("click", press);
		return made;
	}

	const STEPS = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

	function short(value) {
		const step = STEPS.find(s => Math.abs(value) >= s[0]);
		const scaled = step ? value / step[0] : value;
		return (Math.abs(scaled) >= 100 || Number.isInteger(scaled) ? scaled.toFixed(0) :
			scaled.toPrecision(3)) + (step ? step[1] : "");
	}

	function duration(ns) {
		const s = ns / 1e9;
		return s >= 3600 ? (s / 3600).toFixed(1) + " h" : s >= 60 ? (s / 60).toFixed(1) + " min" :
			s >= 1 ? s.toPrecision(3) + " s" : s >= 1e-3 ? (s * 1e3).toPrecision(3) + " ms" :
			(s * 1e6).toPrecision(3) + " µs";
	}

	/* A weight in its unit. */
	function amount(weight, unit) {
		return unit === "ns" ? duration(weight) : unit === "bytes" ? short(weight) + "B" :
			short(weight) + (unit ? " " + unit : "");
	}

	/* What a column stands for: time per time is a number of CPUs or threads. */
	function rate(weight, stepNs, unit, event) {
		const seconds = stepNs / 1e9;
		if (unit === "ns")
			return (weight / stepNs).toPrecision(3) + (/off/.test(event) ? " threads" : " CPUs");
		return short(weight / seconds) + (unit === "bytes" ? "B" : "") + "/s";
	}

	const two = n => String(n).padStart(2, "0");

	function time(ns, seconds) {
		const d = new Date(ns / 1e6);
		return two(d.getHours()) + ":" + two(d.getMinutes()) +
			(seconds ? ":" + two(d.getSeconds()) : "");
	}

	function day(ns) {
		const d = new Date(ns / 1e6);
		return d.getFullYear() + "-" + two(d.getMonth() + 1) + "-" + two(d.getDate());
	}

	/* "2026-11-24 14:30:00" in the reader's own time zone. */
	const moment = ns => day(ns) + " " + time(ns, true);

	function range(from, to) {
		return moment(from) + " – " + (day(from) === day(to) ? time(to, true) : moment(to)) +
			" (" + duration(to - from) + ")";
	}

	function percent(part, whole) {
		const share = whole ? 100 * part / whole : 0;
		return (share >= 10 ? share.toFixed(1) : share.toFixed(2)) + "%";
	}

	/* A condition of a selector. */
	function condition(name, value) {
		return name + '="' + value.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n") + '"';
	}

	/* The selector with a condition more. */
	function narrow(selector, name, value) {
		const inner = selector.trim().replace(/^\{/, "").replace(/\}$/, "").trim();
		const added = condition(name, value);
		return "{" + (inner ? inner + ", " : "") + added + "}";
	}

	return { make, button, short, duration, amount, rate, time, day, moment, range, percent, narrow };
})();
