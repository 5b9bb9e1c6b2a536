/**
 * Parley as seen from outside, set up for one test file: the program on either engine, an administrator, and the channels, prices, users
 * and keys that the test asks for, all created through the console API.
 */
import type { EngineName } from '#testing/database/database'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { administrator, administratorPassword, type Program, type ProgramOptions, startProgram } from '#testing/program/program'
import { wait } from '#testing/upstream/scripted-answers'

/** A signed-in session on the console API. */
export interface Session {
  /** JSON in, JSON out; throws with status and body if the status is not 2xx. */
  call<Answer = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer>
  /** The same without checking the status. */
  raw(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  cookie: string
}

/** A running program and ways to set it up. */
export interface Gateway {
  program: Program
  url: string
  /** The administrator's key `first`. */
  key: string
  admin: Session
  signIn(name: string, password: string): Promise<Session>
  /** Creates a user in group default with a balance in USD and a key. */
  user(name: string, balance: string): Promise<{ session: Session; key: string; id: string }>
  /** Creates a channel of vendor openai-compatible at this address, priced like the demo by default. */
  channel(name: string, baseUrl: string, fields?: Record<string, unknown>): Promise<{ id: string }>
  /** Resets the health of all channels. */
  heal(): Promise<void>
  price(model: string, price?: Record<string, string>): Promise<void>
  /** The usage row of a request, as the administrator sees it, as soon as it is there. */
  log<Row = Record<string, unknown>>(requestId: string): Promise<Row>
  close(): Promise<void>
}

export const testModel = 'gpt-test'

function session(url: string, cookie: string): Session {
  const raw: Session['raw'] = async (method, path, body, headers = {}) => {
    const answer = await fetch(url + path, {
      method,
      headers: { cookie: own.cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    // As a browser keeps it: a proof gives the session another token.
    const set = answer.headers.getSetCookie().find((line) => /^(__Host-)?parley=./.test(line))
    if (set?.includes('=;') === false) own.cookie = set.split(';')[0] ?? own.cookie
    return answer
  }
  const own: Session = {
    cookie,
    raw,
    async call(method, path, body) {
      const answer = await raw(method, path, body)
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    },
  }
  return own
}

/** A session of this user on the program at `url`. */
export async function signInAt(url: string, name: string, password: string): Promise<Session> {
  const answer = await fetch(`${url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, password }),
  })
  if (!answer.ok) throw new Error(`sign-in failed: ${answer.status} ${await answer.text()}`)
  return session(url, (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '')
}

/** A new database for a program: what the environment needs for it, and how it is removed. An embedded one is in the program's folder. */
export async function databaseOn(engine: EngineName): Promise<{ env: { DATABASE_URL?: string }; drop(): Promise<void> }> {
  if (engine === 'embedded') return { env: {}, drop: async () => {} }
  const { url, drop } = await newPostgresDatabase()
  return { env: { DATABASE_URL: url }, drop }
}

/** Starts a program on this engine; call `stop` or `close` when done. */
export async function startGateway(engine: EngineName, options: ProgramOptions = {}): Promise<Gateway> {
  const database = await databaseOn(engine)
  const program = await startProgram({ ...options, env: { ...administrator, ...database.env, ...options.env } })
  const { url } = program
  const admin = await signInAt(url, administrator.PARLEY_ADMIN_USER, administratorPassword)

  return {
    program,
    url,
    key: program.printed('PARLEY_KEY'),
    admin,
    signIn: (name, password) => signInAt(url, name, password),
    async user(name, balance) {
      const password = `password of ${name}`
      const { id } = await admin.call<{ id: string }>('POST', '/api/users', { name, password, balance })
      const own = await signInAt(url, name, password)
      const { key } = await own.call<{ key: string }>('POST', '/api/keys', { name: `key of ${name}` })
      return { session: own, key, id }
    },
    channel: (name, baseUrl, fields = {}) =>
      admin.call('POST', '/api/channels', {
        name,
        vendor: 'openai-compatible',
        baseUrl,
        keys: ['sk-vendor'],
        models: [testModel],
        ...fields,
      }),
    async heal() {
      const { data } = await admin.call<{ data: { id: string }[] }>('GET', '/api/channels?limit=200')
      for (const { id } of data) await admin.call('POST', `/api/channels/${id}/reset`)
    },
    async price(model, price = { input: '1', output: '2' }) {
      await admin.call('PUT', `/api/prices/${encodeURIComponent(model)}`, price)
    },
    async log(requestId) {
      // A client that has left did not wait for its settlement.
      for (let tries = 0; tries < 200 && (await admin.raw('GET', `/api/logs/${requestId}`)).status === 404; tries++) await wait(50)
      return admin.call('GET', `/api/logs/${requestId}`)
    },
    async close() {
      await program.stop()
      await database.drop()
    },
  }
}
