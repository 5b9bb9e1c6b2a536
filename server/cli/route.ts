/**
 * `parley route`: calls the API of a running Parley as the administrator from the environment. It opens no database and reads no
 * parley.yaml, so its answer always matches what is being served.
 */
import { parseArgs } from 'node:util'
import { environment, exit, fail, printLine } from '#runtime/process'
import { readIfThere } from '#runtime/small-file'
import { type RouteAnswer, routeReport } from './route-report.ts'

/** Help text of `parley route`. */
export const usage = `bun server/cli.ts route [--key NAME] [--group NAME] [--model NAME] [--dialect chat|completions|responses|messages|gemini]
                        [--path MODEL:ACTION] [--url URL] [--json] [BODY.json]

Shows which channels a request would be sent to and in which order, why others are left out, and the most it could cost. Nothing is sent.
The request body is read from the file or from standard input; without either it is a short chat message.
Signs in with PARLEY_ADMIN_USER and PARLEY_ADMIN_PASSWORD at --url, else PARLEY_PUBLIC_URL, else PARLEY_HOST and PARLEY_PORT.`

const text = { type: 'string' } as const
const options = { key: text, group: text, model: text, dialect: text, path: text, url: text, json: { type: 'boolean' } } as const

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch {
    return fail(`Usage: ${usage}`)
  }
}

async function readInput(file: string | undefined): Promise<string | undefined> {
  if (file !== undefined && file !== '-') return (await readIfThere(file)) ?? fail('The file with the request body does not exist.')
  if (file === undefined && process.stdin.isTTY) return undefined
  let body = ''
  for await (const piece of process.stdin.setEncoding('utf8')) body += piece
  return body.trim() === '' ? undefined : body
}

/** The request body. Exits with a message when it is not a JSON object. */
function bodyOf(input: string | undefined, model: string | undefined): Record<string, unknown> {
  const named = model === undefined ? {} : { model }
  if (input === undefined) return { messages: [{ role: 'user', content: 'Hello' }], ...named }
  try {
    const body: unknown = JSON.parse(input)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body, ...named }
  } catch {
    // Reported below.
  }
  return fail('The body must be a JSON object.')
}

function addressOf(url: string | undefined): string {
  const { PARLEY_PUBLIC_URL, PARLEY_HOST = '127.0.0.1', PARLEY_PORT = '3000' } = environment()
  const host = PARLEY_HOST.includes(':') ? `[${PARLEY_HOST}]` : PARLEY_HOST
  return (url ?? PARLEY_PUBLIC_URL ?? `http://${host}:${PARLEY_PORT}`).replace(/\/+$/, '')
}

/** Sends a POST request; an error response ends the program with Parley's own message. */
async function post(url: string, body: unknown, cookie = ''): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(cookie !== '' && { cookie }) }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), redirect: 'manual' }).catch(() => undefined)
  if (!answer) return fail('Parley does not respond at this address. Is it running? Set its address with --url.')
  if (answer.ok) return answer
  const refusal = (await answer.json().catch(() => undefined)) as { error?: { message?: unknown } } | undefined
  return fail(`Parley refused the request with ${answer.status}: ${String(refusal?.error?.message ?? 'no reason given')}`)
}

async function signIn(address: string): Promise<string> {
  const { PARLEY_ADMIN_USER: name, PARLEY_ADMIN_PASSWORD: password } = environment()
  if (!name || !password) return fail('Set PARLEY_ADMIN_USER and PARLEY_ADMIN_PASSWORD: only administrators may do this.')
  const answer = await post(`${address}/api/session`, { name, password })
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

async function signOut(address: string, cookie: string): Promise<void> {
  await fetch(`${address}/api/session`, { method: 'DELETE', headers: { cookie } }).catch(() => undefined)
}

/** Runs the command and exits: 0 when the request would be served, 2 when it would be refused, 1 on failure. */
export async function route(args: string[]): Promise<void> {
  const { values, positionals } = readArguments(args)
  if (positionals.length > 1) fail(`Usage: ${usage}`)
  const { key, group, dialect, path, model, json } = values
  const body = bodyOf(await readInput(positionals[0]), model)
  const address = addressOf(values.url)
  const cookie = await signIn(address)
  const question = { body, ...(key && { key }), ...(group && { group }), ...(dialect && { dialect }), ...(path && { path }) }
  const answer = (await (await post(`${address}/api/route`, question, cookie)).json()) as RouteAnswer
  await signOut(address, cookie)
  printLine(json ? JSON.stringify(answer, undefined, 2) : routeReport(answer))
  exit(answer.error === null ? 0 : 2)
}
