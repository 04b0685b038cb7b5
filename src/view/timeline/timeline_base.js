/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What pages on a time axis share: the lines above, a part of the time that wheel, drag and keys
 * choose, and a tooltip. model: { title, about, missing, end (us) }; pages add draw() and
 * point(event, time), and may do something else with what was dragged. */
const timelineBase = (() => {
	const MIN_SPAN = 1; /* us */

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
			this.told = make("span", { id: "told", class: "tl-told", "aria-live": "polite" });
			window.addEventListener("resize", () => this.draw());
			matchMedia("(prefers-color-scheme: dark)").addEventListener("change",
				() => this.draw());
		}

		head() {
			const { title, about, missing } = this.model;
			return make("header", { class: "tl-head" }, make("h1", {}, title), make("p", {}, about),
				make("p", { id: "missing", class: "tl-missing" }, missing));
		}

		allTime() {
			const all = make("button", { id: "all", type: "button" }, "All time");
			all.addEventListener("click", () => this.all());
			return all;
		}

		all() {
			this.show(0, this.model.end);
		}

		/* px of the names before the axis, and of the axis. */
		left() {
			return timelineCanvas.left(this.host.clientWidth);
		}

		width() {
			return this.host.clientWidth - this.left();
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
				this.show(Math.min(drag.at, to), Math.max(drag.at, to));
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
			this.show(this.view.from + by, this.view.to + by);
		}

		zoom(around, factor) {
			this.show(around - (around - this.view.from) * factor,
				around + (this.view.to - around) * factor);
		}

		/* A range of time, moved into the recording. */
		show(from, to) {
			const span = Math.min(this.model.end, Math.max(MIN_SPAN, to - from));
			from = Math.max(0, Math.min(from, this.model.end - span));
			Object.assign(this.view, { from, to: from + span });
			this.draw();
		}

		/* Beside the pointer, within the page. */
		showTip(event, lines) {
			this.tip.hidden = false;
			this.tip.replaceChildren(...lines);
			const right = this.host.clientWidth - this.tip.offsetWidth - 4;
			this.tip.style.left = Math.max(4, Math.min(event.pageX + 14, right)) + "px";
			this.tip.style.top = event.pageY + 16 + "px";
		}
	}

	return { make, View };
})();
