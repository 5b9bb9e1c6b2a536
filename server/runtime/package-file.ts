/** Locates files of this package and of its dependencies, when run from source or from the bundle of `npm run build`. */
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { mapFile } from './bun/mapped-file.ts'

const { resolve } = createRequire(import.meta.url)
const here = fileURLToPath(import.meta.url)
const packageFolder = folderWithManifest(dirname(here))
/** A bundle is in `dist/server`, or in the folder of another runtime's bundle. */
const bundleFolder = () => relative(packageFolder, here).split(sep).slice(0, 2).join('/')
const [scriptFolder, scriptEnding] = here.endsWith('.ts') ? ['server', '.ts'] : [bundleFolder(), '.js']

/** The absolute path of a file or folder of this package, given relative to the package root. */
export const packagePath = (path: string): string => join(packageFolder, path)

/** The text of a file of this package, given relative to the package root; undefined if it is not installed. */
export const readPackageText = (path: string): Promise<string | undefined> => readFile(packagePath(path), 'utf8').catch(() => undefined)

/**
 * The URL of a script for a worker or a child process, by its path under `server/` without extension. Each of them is also an entry of the
 * bundle (`tasks/lib/server.mjs`).
 */
export const serverScript = (name: string): URL => pathToFileURL(join(packageFolder, scriptFolder, name + scriptEnding))

/** All bytes of a dependency's file, by its path `package/folder/file`. Blocks. Throws if it does not exist. */
export function readFromPackage(place: string): Uint8Array {
  // `tasks/lib/stage.mjs` copies single files, without their packages.
  const brought = packagePath(`dist/packages/${place}`)
  return readFileSync(existsSync(brought) ? brought : resolve(place))
}

/**
 * The bytes of a file next to a dependency's entry, memory-mapped. Undefined on other runtimes than Bun, and in the executable, where the
 * dependency finds its files itself.
 */
export function mapBesideEntry(dependency: string, file: string): ArrayBuffer | undefined {
  if (process.versions.bun === undefined) return undefined
  try {
    return mapFile(join(dirname(resolve(dependency)), file))
  } catch {
    return undefined
  }
}

function folderWithManifest(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : folderWithManifest(dirname(folder))
}
