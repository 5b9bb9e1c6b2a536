/** What the archive for machines without a network has in it. */
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './project.mjs'

const pages = ['README.md', 'README.zh.md', 'CHANGELOG.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'LICENSE']
const beside = ['deploy', 'docs', 'compose.yaml', ...pages]

/** Puts the executable and what goes with it into a new folder. `executable`: its path from the root. */
export function arrangeOffline(executable, folder) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  cpSync(join(root, executable), join(folder, executable.endsWith('.exe') ? 'parley.exe' : 'parley'))
  for (const path of beside) cpSync(join(root, path), join(folder, path), { recursive: true })
}
