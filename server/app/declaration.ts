/**
 * parley.yaml: found and read before anything is opened, applied when the house stands, and again whenever it changes. A file
 * that cannot be applied changes nothing: what was said before stays, and administrators are told.
 */
import { applyDeclaration, type Declared } from '#declare/apply'
import { type Declaration, readDeclaration } from '#declare/declaration'
import type { Clock } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { fileState, readIfThere } from '#runtime/small-file'
import type { ConfigState } from '#shared/console/model'
import { asGatewayError, GatewayError } from '#shared/errors'

const usual = './parley.yaml'

export interface ConfigFileParts {
  /** Absent: `./parley.yaml` if it is there. */
  file: string | undefined
  env: Record<string, string | undefined>
  clock: Pick<Clock, 'now'>
  log: Log
}

/** Runs `work` on rooms whose rows are written together: all of them when it succeeds, none when it throws. */
export type Together = <T>(work: (to: Declared) => Promise<T>) => Promise<T>

export interface ConfigFile {
  /** Makes rows of what was read at start. Throws with one clear line when they cannot be as the file wants them. */
  apply(together: Together): Promise<void>
  /** Is what the file says in force? */
  state(): ConfigState
  /** Reads it again when it changed and then lay still for one look. For the schedule; never rejects. */
  look(): Promise<void>
  /** Reads it again now. Never rejects. */
  reload(): Promise<void>
}

/** Throws with one clear line when the named file is missing or the file is wrong. */
export async function openConfigFile({ file, env, clock, log }: ConfigFileParts): Promise<ConfigFile> {
  const path = file ?? usual
  const ok = (): ConfigState => ({ state: 'ok', message: null, at: new Date(clock.now()).toISOString() })
  /** What was last read, and a newer one that may still be in the making. */
  let read = await fileState(path)
  let changed: string | undefined
  const atStart = await declared()
  if (atStart === undefined && file !== undefined) throw new Error(`PARLEY_CONFIG names a file that is not there: ${file}`)
  let writing: Together | undefined
  let state = ok()
  let last: Promise<void> = Promise.resolve()

  async function declared(): Promise<Declaration | undefined> {
    const text = await readIfThere(path)
    return text === undefined ? undefined : readDeclaration(text, env)
  }

  async function makeRows(declaration: Declaration, together: Together): Promise<void> {
    for (const warning of await together((to) => applyDeclaration(declaration, to))) log.warn({}, warning)
  }

  function complain(thrown: unknown): void {
    const { message } = thrown instanceof Error ? thrown : asGatewayError(thrown)
    if (state.message !== message) log.error({}, `parley.yaml is not applied, what was in force stays: ${message}`)
    state = { state: 'invalid', message, at: new Date(clock.now()).toISOString() }
  }

  async function again(together: Together): Promise<void> {
    const found = await fileState(path)
    try {
      const declaration = await declared()
      if (declaration === undefined) throw new Error('The file is not there any more.')
      await makeRows(declaration, together)
      state = ok()
      read = found
      log.info({}, 'parley.yaml was read again and is in force')
    } catch (thrown) {
      // Books that cannot be reached are no fault of the file: the next look tries again.
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
