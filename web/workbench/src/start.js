// The beginning: the frame of the page is painted before the rest is fetched and run.

import "./style.css";

let begun = false;

function begin() {
  if (!begun) import("./main.js");
  begun = true;
}

requestAnimationFrame(() => setTimeout(begin));
setTimeout(begin, 300); // a page in the background is not painted
