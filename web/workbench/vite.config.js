import { defineConfig } from "vite";
import { readFileSync } from "node:fs";

// Licences of what is bundled, shipped beside it.
const bundled = [
  ["@zazuko/yasqe", "MIT", "Copyright (c) 2018 Triply B.V., Zazuko GmbH and contributors"],
  ["@zazuko/yasgui-utils", "MIT", "Copyright (c) 2018 Triply B.V., Zazuko GmbH and contributors"],
  ["codemirror", "MIT", ""],
  ["lodash-es", "MIT", ""],
  ["query-string", "MIT", ""],
  ["decode-uri-component", "MIT", ""],
  ["filter-obj", "MIT", ""],
  ["split-on-first", "MIT", ""],
  ["strict-uri-encode", "MIT", ""],
  ["store", "MIT", ""],
  ["dompurify", "Apache-2.0 (also MPL-2.0)", ""],
];

function notices() {
  return {
    name: "notices",
    generateBundle() {
      const parts = ["The workbench is built with the following libraries.\n"];
      for (const [name, licence, copyright] of bundled) {
        const folder = new URL(`./node_modules/${name}/`, import.meta.url);
        const version = JSON.parse(readFileSync(new URL("package.json", folder))).version;
        let text = copyright;
        for (const file of ["LICENSE", "license", "LICENSE.md", "LICENCE"]) {
          try {
            text = readFileSync(new URL(file, folder), "utf8");
            break;
          } catch {
            // this package names its file otherwise
          }
        }
        parts.push(`${"=".repeat(72)}\n${name} ${version}: ${licence}\n\n${text.trim()}\n`);
      }
      this.emitFile({ type: "asset", fileName: "NOTICES.txt", source: parts.join("\n") });
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [notices()],
  build: { outDir: "dist", emptyOutDir: true, assetsInlineLimit: 8192, target: "es2022", reportCompressedSize: true },
  server: { proxy: { "/sparql": "http://127.0.0.1:7878", "/api": "http://127.0.0.1:7878" } },
});
