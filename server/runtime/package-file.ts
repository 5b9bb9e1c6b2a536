/** Where the files of this package and of its dependencies are, for source files and for the bundle of `npm run build` alike. */
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { mapFile } from './bun/mapped-file.ts'

const { resolve } = createRequire(import.meta.url)
const here = fileURLToPath(import.meta.url)
const packageFolder = folderWithManifest(dirname(here))
/** A bundle lies in `dist/server`, or where it was made for another runtime. */
const bundleFolder = () => relative(packageFolder, here).split(sep).slice(0, 2).join('/')
const [scriptFolder, scriptEnding] = here.endsWith('.ts') ? ['server', '.ts'] : [bundleFolder(), '.js']

/** The absolute path of a file or folder of this package, by its path from the package's root. */
export const packagePath = (path: string): string => join(packageFolder, path)

/** The text of a file of this package, by its path from the package's root; undefined where it is not installed. */
export const readPackageText = (path: string): Promise<string | undefined> => readFile(packagePath(path), 'utf8').catch(() => undefined)

/**
 * The address of a script that a worker or a child process runs, by its path under `server/` without its ending. Each of them is
 * an entry of the bundle, too (`tasks/lib/server.mjs`).
 */
export const serverScript = (name: string): URL => pathToFileURL(join(packageFolder, scriptFolder, name + scriptEnding))

/** All bytes of a dependency's file by its place in the package: `package/folder/file`. Blocks. Throws when it is not there. */
export function readFromPackage(place: string): Uint8Array {
  // `tasks/lib/stage.mjs` brings single files along, without their packages.
  const brought = packagePath(`dist/packages/${place}`)
  return readFileSync(existsSync(brought) ? brought : resolve(place))
}

/**
 * The bytes of a file beside a dependency's entry, which take no memory until they are looked at. Undefined on other runtimes than Bun, and
 * in the executable, where the dependency finds its files itself.
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
