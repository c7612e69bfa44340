import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

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

export default defineConfig({
  base: "./",
  plugins: [react(), filesBelowThePage()],
  worker: {
    format: "es",
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
        // Screens share small parts, which would be files of a few hundred bytes otherwise.
        experimentalMinChunkSize: 5000,
        assetFileNames: (asset) => (asset.names[0]?.endsWith(".css") ? "console.css" : "[name][extname]"),
      },
    },
  },
});
