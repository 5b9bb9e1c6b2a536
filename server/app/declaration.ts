/**
 * parley.yaml: found and read before anything is opened, applied once the program is wired, and again whenever it changes. A file
 * that cannot be applied changes nothing: the previous version stays in effect, and the console shows administrators the error.
 */
import type { Declared } from '#declare/apply'
import type { Declaration } from '#declare/declaration'
import type { Clock } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { FileFault, fileState, readIfThere } from '#runtime/small-file'
import type { ConfigState } from '#shared/console/model'
import { asGatewayError, GatewayError } from '#shared/errors'

const usual = './parley.yaml'

/** What reading parley.yaml needs. */
export interface ConfigFileParts {
  /** Absent: `./parley.yaml` if it exists. */
  file: string | undefined
  env: Record<string, string | undefined>
  clock: Pick<Clock, 'now'>
  log: Log
}

/** Runs `work` in one transaction: all rows are written when it succeeds, none when it throws. */
export type Together = <T>(work: (to: Declared) => Promise<T>) => Promise<T>

/** parley.yaml, as read at startup and after changes. */
export interface ConfigFile {
  /** Writes the rows that the file declared at startup. Throws with one clear line when that is impossible. */
  apply(together: Together): Promise<void>
  /** Whether the current file is in effect. */
  state(): ConfigState
  /** Applies a changed file once it is unchanged between two calls. Called on a schedule; never rejects. */
  look(): Promise<void>
  /** Reads and applies the file now. Never rejects. */
  reload(): Promise<void>
}

/** Throws with one clear line when the named file is missing or the file is wrong. */
export async function openConfigFile({ file, env, clock, log }: ConfigFileParts): Promise<ConfigFile> {
  const path = file ?? usual
  const ok = (): ConfigState => ({ state: 'ok', message: null, at: new Date(clock.now()).toISOString() })
  /** State of the file that was last read, and of a newer one that may still be being written. */
  let read = await named(fileState(path))
  let changed: string | undefined
  const atStart = await named(declared())
  if (atStart === undefined && file !== undefined) throw new Error(`PARLEY_CONFIG names a file that does not exist: ${file}`)
  let writing: Together | undefined
  let state = ok()
  let last: Promise<void> = Promise.resolve()

  /** Names the variable that named the file. */
  function named<T>(work: Promise<T>): Promise<T> {
    return work.catch((thrown: unknown) => {
      throw file !== undefined && thrown instanceof FileFault ? new Error(`PARLEY_CONFIG: ${thrown.message}`) : thrown
    })
  }

  async function declared(): Promise<Declaration | undefined> {
    const text = await readIfThere(path)
    if (text === undefined) return undefined
    // Loaded on demand: without a file the parser is not needed.
    const { readDeclaration } = await import('#declare/declaration')
    return readDeclaration(text, env)
  }

  async function makeRows(declaration: Declaration, together: Together): Promise<void> {
    const { applyDeclaration } = await import('#declare/apply')
    for (const warning of await together((to) => applyDeclaration(declaration, to))) log.warn({}, warning)
  }

  function complain(thrown: unknown): void {
    const { message } = thrown instanceof Error ? thrown : asGatewayError(thrown)
    if (state.message !== message) log.error({}, `parley.yaml was not applied, the previous version stays in effect: ${message}`)
    state = { state: 'invalid', message, at: new Date(clock.now()).toISOString() }
  }

  async function again(together: Together): Promise<void> {
    const found = await fileState(path)
    try {
      const declaration = await declared()
      if (declaration === undefined) throw new Error('The file no longer exists.')
      await makeRows(declaration, together)
      state = ok()
      read = found
      log.info({}, 'parley.yaml was reloaded and is in effect')
    } catch (thrown) {
      // An unreachable database is not the file's fault: the next check tries again.
      if (!(thrown instanceof GatewayError && thrown.blame === 'gateway')) read = found
      complain(thrown)
    }
  }

  function reload(): Promise<void> {
    const together = writing
    if (together) last = last.then(() => again(together)).catch(complain)
    return last
  }

  return {
    async apply(together) {
      writing = together
      if (atStart) await makeRows(atStart, together)
    },
    state: () => state,
    async look() {
      const found = await fileState(path)
      const still = found === changed
      changed = found
      if (found !== read && still) await reload()
    },
    reload,
  }
}
