/**
 * Runs the snippets of "view as code" as the user who copied them would: curl with sh, TypeScript with Bun and the vendors' installed
 * packages, Python with python3 and the vendors' packages, or a stand-in for those not installed.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { pythonPackages, pythonShared } from './python-packages.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const bun = process.versions.bun === undefined ? join(root, 'node_modules/.bin/bun') : process.execPath
const run = promisify(execFile)

/** Runs snippets. */
export interface SnippetRunner {
  /** Why Python snippets cannot be run here; undefined if they can. */
  withoutPython: string | undefined
  /** Resolves to what the snippet printed; rejects with its error output if it fails. */
  run(language: 'curl' | 'Python' | 'TypeScript', code: string, key: string): Promise<string>
  /** Removes the folder of the stand-ins. */
  close(): void
}

/** Prepares a runner; call `close` when done. */
export async function snippetRunner(): Promise<SnippetRunner> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-snippets-'))
  const works = (...args: string[]) => run('python3', args).then(Boolean, () => false)
  const python = await works('-c', 'pass')
  writeFileSync(join(folder, 'asked_plainly.py'), pythonShared)
  for (const [name, source] of Object.entries(pythonPackages)) {
    if (!python || (await works('-c', `import ${name}`))) continue
    const file = join(folder, `${name.replace('.', '/')}.py`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, source)
  }

  const commands = { curl: ['sh', '-c'], Python: ['python3', '-c'], TypeScript: [bun, '-e'] }
  return {
    withoutPython: python ? undefined : 'python3 is not installed',
    async run(language, code, key) {
      const [program = '', ...args] = commands[language]
      const env = { ...process.env, API_KEY: key, PYTHONIOENCODING: 'utf-8', PYTHONPATH: folder }
      const { stdout } = await run(program, [...args, code], { cwd: root, env, timeout: 30_000 })
      return stdout
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
