/**
 * parley.yaml: found and read before anything is opened, applied when the house stands, and again whenever it changes. A file
 * that cannot be applied changes nothing: what was said before stays, and administrators are told.
 */
import { applyDeclaration, type Declared } from '#declare/apply'
import { type Declaration, readDeclaration } from '#declare/declaration'
import type { Clock } from '#runtime/clock'
import { fileState, readIfThere } from '#runtime/kept-file'
import type { Log } from '#runtime/log'
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

export interface ConfigFile {
  /** Makes rows of what was read at start. Throws with one clear line when they cannot be as the file wants them. */
  apply(to: Declared): Promise<void>
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
  let inForce = await declared()
  if (inForce === undefined && file !== undefined) throw new Error(`PARLEY_CONFIG names a file that is not there: ${file}`)
  let target: Declared | undefined
  let state = ok()
  let last: Promise<void> = Promise.resolve()

  async function declared(): Promise<Declaration | undefined> {
    const text = await readIfThere(path)
    return text === undefined ? undefined : readDeclaration(text, env)
  }

  async function makeRows(declaration: Declaration, to: Declared): Promise<void> {
    for (const warning of await applyDeclaration(declaration, to)) log.warn({}, warning)
  }

  /** Sections are written one by one, so a fault in a late one undoes the early ones by saying again what was said before. */
  async function replace(declaration: Declaration, to: Declared): Promise<void> {
    try {
      await makeRows(declaration, to)
      inForce = declaration
    } catch (thrown) {
      if (inForce) await applyDeclaration(inForce, to)
      throw thrown
    }
  }

  function complain(thrown: unknown): void {
    const { message } = thrown instanceof Error ? thrown : asGatewayError(thrown)
    if (state.message !== message) log.error({}, `parley.yaml is not applied, what was in force stays: ${message}`)
    state = { state: 'invalid', message, at: new Date(clock.now()).toISOString() }
  }

  async function again(to: Declared): Promise<void> {
    const found = await fileState(path)
    try {
      const declaration = await declared()
      if (declaration === undefined) throw new Error('The file is not there any more.')
      await replace(declaration, to)
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
    const to = target
    if (to) last = last.then(() => again(to)).catch(complain)
    return last
  }

  return {
    async apply(to) {
      target = to
      if (inForce) await makeRows(inForce, to)
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
