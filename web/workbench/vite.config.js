import { defineConfig } from "vite";
import { readFileSync } from "node:fs";

// Licences of what is bundled, shipped beside it.
const bundled = ["@zazuko/yasqe", "@zazuko/yasgui-utils", "codemirror", "lodash-es", "query-string", "decode-uri-component", "filter-obj", "split-on-first", "strict-uri-encode", "store", "dompurify", "topojson-client", "world-atlas"];

const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const person = (p) => (typeof p === "string" ? p : [p?.name, p?.email && `<${p.email}>`].filter(Boolean).join(" "));

/** licence is a package's licence file; without one, its authors by package.json and the text of the MIT licence. */
function licence(folder, description) {
  for (const file of ["LICENSE", "license", "LICENSE.md", "LICENCE"]) {
    try {
      return readFileSync(new URL(file, folder), "utf8");
    } catch {
      // this package names its file otherwise, or has none
    }
  }
  const people = [description.author, ...(description.contributors ?? [])].filter(Boolean).map(person);
  return `Copyright ${people.join(", ")}\n\n${mit}`;
}

function notices() {
  return {
    name: "notices",
    generateBundle() {
      const parts = ["The workbench is built with the following libraries.\n"];
      for (const name of bundled) {
        const folder = new URL(`./node_modules/${name}/`, import.meta.url);
        const description = JSON.parse(readFileSync(new URL("package.json", folder)));
        parts.push(`${"=".repeat(72)}\n${name} ${description.version}: ${description.license}\n\n${licence(folder, description).trim()}\n`);
      }
      this.emitFile({ type: "asset", fileName: "NOTICES.txt", source: parts.join("\n") });
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [notices()],
  build: { outDir: "dist", emptyOutDir: true, assetsInlineLimit: 8192, target: "es2022", reportCompressedSize: true },
  server: { proxy: { "/sparql": "http://127.0.0.1:7878", "/subscribe": "http://127.0.0.1:7878", "/api": "http://127.0.0.1:7878" } },
});
