/** Calls the console's API of a running Parley with a management key. Every failure is a CommandError with its exit code. */
import type { Page } from '#shared/console/model'

/** A command that failed. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  /** 1: refused or out of reach; 2: the command line is wrong. */
  readonly code: 1 | 2

  constructor(message: string, code: 1 | 2 = 1) {
    super(message)
    this.code = code
  }
}

/** The API of one Parley. All throw CommandError. */
export interface Api {
  call<Answer>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Rows of a list, page by page, at most `most`. */
  list<Row>(path: string, most?: number): Promise<Row[]>
  /** The answer as text. */
  text(path: string): Promise<string>
  /** The answer as text, with its headers. */
  page(path: string): Promise<{ text: string; headers: Headers }>
  /** The lines of an answer, as they arrive; text after the last line feed is dropped. Throws BrokenOff where it ends early. */
  lines(path: string): AsyncGenerator<string>
}

/** An answer that was cut off, or a Parley that did not respond. */
export class BrokenOff extends CommandError {}

/** The variables that name the Parley to call and the key to call it with. */
export const variables = ['PARLEY_URL', 'PARLEY_MANAGEMENT_KEY'] as const

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The API at `url`, else at PARLEY_URL, else at the address at which a Parley with this environment listens. Throws CommandError without a
 * key.
 */
export function openApi(env: Environment, url: string | undefined): Api {
  const address = addressOf(env, url)
  const key = env.PARLEY_MANAGEMENT_KEY
  if (!key) throw new CommandError('Set PARLEY_MANAGEMENT_KEY to a management key: pages Account, Management keys.', 2)

  async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const sent = { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers }
    const init = { method, headers: sent, redirect: 'manual' as const, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const answer = await fetch(address + path, init).catch(() => undefined)
    if (answer === undefined) throw new BrokenOff(`Parley does not respond at ${address}. Set its address with PARLEY_URL or --url.`)
    if (answer.ok) return answer
    const refusal = (await answer.json().catch(() => undefined)) as { error?: { message?: string; code?: string } } | undefined
    const { message = 'no reason given', code = 'unknown' } = refusal?.error ?? {}
    throw new CommandError(`Parley refused this with ${answer.status} ${code}: ${message}`)
  }

  return {
    async call(method, path, body, headers) {
      const answer = await send(method, path, body, headers)
      return answer.status === 204 ? undefined : JSON.parse(await answer.text())
    },
    async list<Row>(path: string, most = 10_000) {
      const rows: Row[] = []
      for (let after: string | null = ''; after !== null && rows.length < most; ) {
        const limit = Math.min(200, most - rows.length)
        const query: string = `${path.includes('?') ? '&' : '?'}limit=${limit}${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`
        const page = (await (await send('GET', path + query)).json()) as Page<Row>
        rows.push(...page.data)
        after = page.next
      }
      return rows
    },
    text: async (path) => (await send('GET', path)).text(),
    async page(path) {
      const answer = await send('GET', path)
      return { text: await answer.text(), headers: answer.headers }
    },
    async *lines(path) {
      const { body } = await send('GET', path)
      if (body) yield* linesOf(body)
    },
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let open: string[] = []
  try {
    for await (const bytes of body) {
      const [first = '', ...more] = decoder.decode(bytes, { stream: true }).split('\n')
      open.push(first)
      for (const next of more) {
        yield open.join('')
        open = [next]
      }
    }
  } catch (thrown) {
    if (thrown instanceof CommandError) throw thrown
    throw new BrokenOff('The connection broke off.')
  }
}

/** Parley's address: `url`, else from the environment, without a trailing slash. Throws CommandError. */
export function addressOf(
  { PARLEY_URL, PARLEY_PUBLIC_URL, PARLEY_HOST = '127.0.0.1', PARLEY_PORT = '3000' }: Environment,
  url?: string,
): string {
  const host = PARLEY_HOST.includes(':') ? `[${PARLEY_HOST}]` : PARLEY_HOST
  const given = url ?? PARLEY_URL ?? PARLEY_PUBLIC_URL ?? `http://${host}:${PARLEY_PORT}`
  if (!/^https?:\/\//.test(given) || !URL.canParse(given)) throw new CommandError('The address must begin with http:// or https://.', 2)
  return given.replace(/\/+$/, '')
}
