import type {} from "./feed.ts";

/** Plain text append: one text node that grows, kept scrolled to its end. The least any panel has to do. */
const scroller = document.createElement("div");
scroller.id = "transcript";
const column = document.createElement("div");
column.className = "column";
const block = document.createElement("div");
block.style.whiteSpace = "pre-wrap";
const node = document.createTextNode("");
block.append(node);
column.append(block);
scroller.append(column);
document.getElementById("app")?.append(scroller);

let scheduled = false;

window.contender = {
	append(text) {
		block.append(text);
		if (scheduled) return;
		scheduled = true;
		requestAnimationFrame(() => {
			scheduled = false;
			scroller.scrollTop = scroller.scrollHeight;
		});
	},
	end() {},
};
