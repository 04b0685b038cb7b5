/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and names as people read them. */
const flameText = (() => {
	function percent(part, whole) {
		return (whole ? part * 100 / whole : 0).toFixed(2) + "%";
	}

	/* Wilson's 95 % limits of a share seen among n samples. ORDER: profile/share_interval.c */
	function interval(part, whole, n) {
		const z = 1.959963984540054, share = whole ? part / whole : 0;
		const middle = (share + z * z / (2 * n)) / (1 + z * z / n);
		const half = z / (1 + z * z / n) * Math.sqrt(share * (1 - share) / n + z * z / (4 * n * n));
		const limit = x => (x * 100).toFixed(2);
		return limit(share > 0 ? Math.max(0, middle - half) : 0) + "–" +
			limit(share < 1 ? Math.min(1, middle + half) : 1) + "%";
	}

	/* East Asian characters and emoji are twice as wide. ORDER: flame_box.c */
	const WIDE = /[\u3000-\ud7ff\uff00-\uffff]|[^\u0000-\uffff]/u;

	/* As much of a name as `room` letters hold, an ellipsis for the rest. */
	function fit(name, room, cutLeft) {
		if (room < 3)
			return "";
		if (name.length > room && name.includes("<"))
			name = elide(name);
		if (!WIDE.test(name))
			return name.length <= room ? name : cutLeft ?
				"…" + name.slice(name.length - room + 1) : name.slice(0, room - 1) + "…";
		const all = Array.from(name), letters = all.map(c => WIDE.test(c) ? 2 : 1);
		const sum = letters.reduce((a, b) => a + b, 0);
		if (sum <= room)
			return name;
		let left = room - 1, count = 0;
		for (const n of cutLeft ? letters.reverse() : letters) {
			left -= n;
			if (left < 0)
				break;
			count++;
		}
		return cutLeft ? "…" + all.slice(all.length - count).join("") :
			all.slice(0, count).join("") + "…";
	}

	function count(weight, info) {
		return (weight / (info.scale || 1) * (info.factor || 1))
			.toLocaleString("en-US", { maximumFractionDigits: 2 });
	}

	/* Template arguments longer than a word become "…": std::map<…>::operator[]. Those of an operator
	 * come after a space: operator< <…>. What begins with "<" (Rust's impls) and names with
	 * unbalanced brackets stay. */
	function elide(name) {
		let out = "", depth = 0, from = 0;
		for (let i = 0; i < name.length; i++) {
			const operator = /operator[<>=-]*$/.test(name.slice(Math.max(0, i - 11), i));
			const begins = depth || /[\w$]$|operator[<>=-]+ $/.test(name.slice(Math.max(0, i - 12), i));
			if (name[i] === "<" && i && !operator && begins) {
				if (!depth++)
					from = i;
			} else if (name[i] === ">" && depth && name[i - 1] !== "-") {
				if (--depth)
					continue;
				out += i - from > 8 ? "<…>" : name.slice(from, i + 1);
			} else if (!depth) {
				out += name[i];
			}
		}
		return depth ? name : out;
	}

	const TIMES = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

	/* "1,234 samples", "1 sample"; times as people say them. */
	function amount(weight, info) {
		const ns = weight / (info.scale || 1);
		if (info.countname !== "ns" || (info.factor || 1) !== 1) {
			const text = count(weight, info);
			return text + " " + (text === "1" && info.countname === "samples" ? "sample" : info.countname);
		}
		const [size, unit] = TIMES.find(([least]) => ns >= least) || TIMES[TIMES.length - 1];
		return (ns / size).toLocaleString("en-US", { maximumSignificantDigits: ns >= 1e12 ? 6 : 4 }) +
			" " + unit;
	}

	/* Terms of the search box: regular expressions with ";" between them, which no frame of folded
	 * text holds. What is no regular expression is searched for as it is. */
	function terms(text, ignoreCase) {
		return text.split(";").map(t => t.trim()).filter(t => t).map(term => {
			try {
				return { term, regex: new RegExp(term, ignoreCase ? "i" : ""), wrong: false };
			} catch (error) {
				return { term, regex: new RegExp(literal(term), ignoreCase ? "i" : ""), wrong: true };
			}
		});
	}

	function wrongTerm({ term }) {
		return "“" + term + "” is no regular expression: searched for as plain text";
	}

	function literal(text) {
		return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
	}

	/* A line of parts, [{ text, color, texture }]: those with a colour have a square of it in front. */
	function fill(element, parts) {
		const space = element.namespaceURI, isSvg = space.endsWith("/svg");
		const made = (text, color) => {
			const piece = document.createElementNS(space, isSvg ? "tspan" : "span");
			piece.textContent = text;
			if (color)
				piece.style[isSvg ? "fill" : "color"] = color;
			return piece;
		};
		const pieces = part => part.texture !== undefined && !isSvg ?
			[stateTexture.swatch(part), made(part.text)] : part.color ?
			[made("■ ", part.color), made(part.text)] : [made(part.text)];
		const together = part => { /* a line does not end between them */
			const both = document.createElementNS(space, "span");
			both.append(...pieces(part));
			return both;
		};
		element.replaceChildren(...isSvg ? parts.flatMap(pieces) : parts.map(together));
	}

	return { percent, interval, fit, count, amount, elide, terms, wrongTerm, literal, fill };
})();
