import { readdirSync, readFileSync } from "node:fs";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { sourceHash } from "./scripts/source-hash.mjs";

/**
 * The page is at `<prefix>/console`, without a slash at the end, and its files are in `<prefix>/console/`.
 * So the page refers to `console/console.js`, while the chunks refer to each other as neighbours.
 */
function filesBelowThePage(): Plugin {
  return {
    name: "files-below-the-page",
    transformIndexHtml: {
      order: "post",
      handler: (html) => html.replaceAll(' crossorigin', "").replaceAll(/(src|href)="\.\//g, '$1="console/'),
    },
  };
}

/** Names the build in the page, so that an open page finds out that the platform has another one. */
function nameBuild(): Plugin {
  const attrs = { name: "build", content: sourceHash() };
  return { name: "name-build", transformIndexHtml: () => [{ tag: "meta", attrs, injectTo: "head" }] };
}

/** The folders of the packages that the files contain. */
const packages = new Set<string>();

function collectPackages(): Plugin {
  return {
    name: "collect-packages",
    moduleParsed({ id }) {
      const folder = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(id)?.[1];
      if (folder !== undefined) packages.add(folder);
    },
  };
}

/** Writes the licences of these packages, which ask for their texts to go with them. */
function writeLicences(): Plugin {
  return {
    name: "write-licences",
    generateBundle() {
      const texts = [...packages].map((folder) => {
        const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
        const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
        const text = file === undefined ? "" : readFileSync(`${folder}/${file}`, "utf8").trim();
        return `${name} ${version}, ${license}\n\n${text}\n`;
      });
      this.emitFile({ type: "asset", fileName: "licences.txt", source: [...new Set(texts)].sort().join("\n---\n\n") });
    },
  };
}

/** The platform behind `npm run dev`. */
const PLATFORM = process.env.PLATFORM ?? "http://127.0.0.1:8080";

export default defineConfig({
  base: "./",
  cacheDir: "src/api/generated/.vite",
  server: {
    proxy: {
      // The platform refuses changes that another origin asks for.
      "^/(builder|gateway|workbenches|hooks)/|^/console/(log|call)": { target: PLATFORM, headers: { origin: PLATFORM } },
    },
  },
  plugins: [react(), filesBelowThePage(), nameBuild(), collectPackages(), writeLicences()],
  worker: {
    format: "es",
    plugins: () => [collectPackages()],
    rollupOptions: { output: { entryFileNames: "[name].js" } },
  },
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rollupOptions: {
      output: {
        entryFileNames: "console.js",
        chunkFileNames: "[name].js",
        // Screens share small parts, which would be files of their own otherwise. The size is that before minification.
        experimentalMinChunkSize: 25000,
        // A file of another build fails to load, instead of taking one part for another that has the same short name.
        minifyInternalExports: false,
        assetFileNames: (asset) => (asset.names[0]?.endsWith(".css") ? "console.css" : "[name][extname]"),
      },
    },
  },
});
