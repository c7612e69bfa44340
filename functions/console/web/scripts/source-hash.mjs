// Writes the SHA-256 of the sources to the file that the first argument names. The Rust tests compute the same hash, to
// check without Node that the built files belong to the sources.
//
// For each file, in the byte order of the paths: path, zero byte, decimal length of the content, zero byte, content.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const web = fileURLToPath(new URL("..", import.meta.url));
const excluded = new Set(["node_modules", "src/api/generated"]);

function listFiles(folder) {
  return readdirSync(join(web, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (excluded.has(path)) return [];
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}

/** The hash in hexadecimal. The page has it as the name of its build. */
export function sourceHash() {
  const hash = createHash("sha256");
  for (const path of listFiles("").map((path) => Buffer.from(path)).sort(Buffer.compare)) {
    const content = readFileSync(join(web, path.toString()));
    hash.update(path).update("\0").update(String(content.length)).update("\0").update(content);
  }
  return hash.digest("hex");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(process.argv[2], `${sourceHash()}\n`);
