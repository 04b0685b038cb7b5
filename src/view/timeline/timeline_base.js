/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What pages on a time axis share: the lines above, a part of the time that wheel, drag and keys
 * choose, and a tooltip. model: { title, about, missing, end (us) }; pages add draw() and
 * point(event, time), and may do something else with what was dragged. Pages that keep their choices
 * in the address have choices(), texts by name, and adopt(values), which gives what of them it does
 * not know. */
const timelineBase = (() => {
	const MIN_SPAN = 1; /* us */
	const PAPER = 1040; /* px: the width of printed pages */

	function make(tag, attributes, ...children) {
		const element = document.createElement(tag);
		for (const [name, value] of Object.entries(attributes || {}))
			element.setAttribute(name, value);
		element.append(...children);
		return element;
	}

	/* A band over the canvas from one x to another. */
	function band(canvas, from, to) {
		const pen = canvas.getContext("2d");
		pen.fillStyle = "#8884";
		pen.fillRect(Math.min(from, to), 0, Math.abs(to - from), canvas.height);
	}

	class View {
		constructor(host, model) {
			this.host = host;
			this.model = model;
			this.view = { from: 0, to: model.end };
			this.tip = make("div", { id: "tip", class: "fg-tip", hidden: "" });
			this.status = make("span", { id: "status", class: "tl-status", role: "status" });
			this.notice = make("div", { id: "notice", class: "fg-notice", role: "status", hidden: "" });
			this.unknown = []; /* what a link names that is not here */
			window.addEventListener("resize", () => this.draw());
			window.addEventListener("beforeprint", () => this.print(true));
			window.addEventListener("afterprint", () => this.print(false));
			matchMedia("(prefers-color-scheme: dark)").addEventListener("change",
				() => this.draw());
		}

		head() {
			const { title, about, missing } = this.model;
			return make("header", { class: "tl-head" }, make("h1", {}, title), make("p", {}, about),
				make("p", { id: "missing", class: "tl-missing" }, missing));
		}

		/* Printed pages are light, and as wide as paper. */
		print(starts) {
			document.documentElement.classList.toggle("paper", starts);
			this.draw();
		}

		keepInAddress() {
			const seconds = us => String(+(us / 1e6).toFixed(6));
			this.link = timelineLink.create(() => {
				const { from, to } = this.view;
				return Object.assign({ from: from > 0 ? seconds(from) : "",
					to: to < this.model.end ? seconds(to) : "" }, this.choices());
			}, values => this.follow(values));
		}

		/* A link: the notice names what is not here. */
		follow(values) {
			const { end } = this.model, from = Number(values.from) * 1e6;
			const to = values.to === "" ? end : Number(values.to) * 1e6;
			const isTime = from >= 0 && from < end && to > from;
			this.unknown = this.adopt(values).concat(isTime ? [] :
				[values.from + "–" + values.to + " s"]);
			this.show(isTime ? from : 0, isTime ? to : end);
		}

		/* After a change by the user: `what` changed. */
		changed(what) {
			this.unknown = [];
			if (this.link)
				this.link.changed(what);
			this.showNotice();
		}

		/* lines: what else there is to say. */
		showNotice(...lines) {
			this.notes = lines.length ? lines.flat() : this.notes || [];
			this.notice.textContent = this.unknown.map(name => "the link names " + name +
				", which is not in this recording").concat(this.notes).join(" · ");
			this.notice.hidden = !this.notice.textContent;
		}

		allTime() {
			const all = make("button", { id: "all", type: "button" }, "All time");
			all.addEventListener("click", () => this.all());
			return all;
		}

		all() {
			this.show(0, this.model.end, "time");
		}

		/* px of the names before the axis, and of the axis. */
		left() {
			return timelineCanvas.left(this.pageWidth());
		}

		width() {
			return this.pageWidth() - this.left();
		}

		pageWidth() {
			return document.documentElement.classList.contains("paper") ? PAPER :
				this.host.clientWidth;
		}

		/* The time at a place of a canvas. */
		at(event) {
			return this.view.from + (event.offsetX - this.left()) / this.width() *
				(this.view.to - this.view.from);
		}

		x(us) {
			return this.left() + (us - this.view.from) / (this.view.to - this.view.from) *
				this.width();
		}

		/* The first of the canvases has the keyboard and the tooltip: point(event, time). */
		listen(...canvases) {
			for (const canvas of canvases) {
				canvas.addEventListener("wheel", event => this.wheel(event), { passive: false });
				canvas.addEventListener("pointerdown", event => {
					if (event.button)
						return;
					this.drag = { x: event.offsetX, y: event.offsetY, at: this.at(event) };
					canvas.setPointerCapture(event.pointerId);
				});
				canvas.addEventListener("pointermove", event => this.drag && this.dragging(event));
				canvas.addEventListener("pointerup", event => {
					const drag = this.drag;
					this.drag = null;
					if (drag)
						this.dragged(drag, event);
				});
				canvas.addEventListener("pointercancel", () => { this.drag = null; this.draw(); });
				canvas.addEventListener("dblclick", () => this.all());
			}
			const [first] = canvases;
			first.addEventListener("pointermove", event => this.point(event, this.at(event)));
			first.addEventListener("pointerup", event => { /* a finger does not hover: it taps */
				if (event.pointerType === "touch")
					this.point(event, this.at(event));
			});
			first.addEventListener("pointerleave", event => {
				this.tip.hidden = event.pointerType !== "touch" || this.tip.hidden;
			});
			first.addEventListener("keydown", event => this.key(event));
		}

		wheel(event) {
			if (!event.ctrlKey && !event.shiftKey && Math.abs(event.deltaX) <
				Math.abs(event.deltaY) && event.offsetX < this.left())
				return; /* over the names the page scrolls */
			event.preventDefault();
			if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
				this.move(event.deltaX / this.width());
			else
				this.zoom(this.at(event), Math.exp(event.deltaY / 400));
		}

		/* The time between two places becomes the view, and is marked until then. */
		dragging(event) {
			this.draw();
			band(event.currentTarget, this.drag.x, event.offsetX);
		}

		dragged(drag, event) {
			const to = this.at(event);
			if (Math.abs(event.offsetX - drag.x) > 4)
				this.show(Math.min(drag.at, to), Math.max(drag.at, to), "time");
			else
				this.draw();
		}

		key(event) {
			const middle = (this.view.from + this.view.to) / 2;
			const action = { ArrowLeft: () => this.move(-0.2), ArrowRight: () => this.move(0.2),
				"+": () => this.zoom(middle, 0.5), "-": () => this.zoom(middle, 2),
				0: () => this.all() }[event.key];
			if (action && !event.ctrlKey && !event.metaKey && !event.altKey) {
				event.preventDefault();
				event.stopPropagation();
				action();
			}
		}

		move(part) {
			const by = part * (this.view.to - this.view.from);
			this.show(this.view.from + by, this.view.to + by, "steps");
		}

		zoom(around, factor) {
			this.show(around - (around - this.view.from) * factor,
				around + (this.view.to - around) * factor, "steps");
		}

		/* A range of time, moved into the recording. what: the user's change, if it is one. */
		show(from, to, what) {
			const span = Math.min(this.model.end, Math.max(MIN_SPAN, to - from));
			from = Math.max(0, Math.min(from, this.model.end - span));
			Object.assign(this.view, { from, to: from + span });
			this.draw();
			if (what)
				this.changed(what);
			else
				this.showNotice();
		}

		/* Beside the pointer, within the window. */
		showTip(event, lines) {
			const { tip } = this, around = this.host.getBoundingClientRect();
			const { innerWidth, innerHeight } = window;
			tip.hidden = false;
			tip.replaceChildren(...lines);
			tip.style.left = "0";
			const wide = tip.offsetWidth, high = tip.offsetHeight;
			const below = event.clientY + 16, above = event.clientY - high - 10;
			const x = Math.max(4, Math.min(event.clientX + 14, innerWidth - wide - 4));
			const y = below + high > innerHeight - 4 ? Math.max(4, above) : below;
			tip.style.left = x - around.left + "px";
			tip.style.top = y - around.top + "px";
		}
	}

	return { make, View };
})();
