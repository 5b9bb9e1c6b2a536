/**
 * `parley route`: calls the API of a running Parley as an administrator. It opens no database and reads no parley.yaml, so its answer
 * always matches what is being served.
 */
import { parseArgs } from 'node:util'
import { exit, fail, printLine } from '#runtime/process'
import { readIfThere } from '#runtime/small-file'
import { CommandError } from './console/api.ts'
import { openAdminApi } from './console-session.ts'
import { type RouteAnswer, routeReport } from './route-report.ts'

/** Help text of `parley route`. */
export const usage = `bun server/cli.ts route [--key NAME] [--group NAME] [--model NAME] [--dialect chat|completions|responses|messages|gemini]
                        [--path MODEL:ACTION] [--url URL] [--json] [BODY.json]

Shows which channels a request would be sent to and in which order, why others are left out, and the most it could cost. Nothing is sent.
The request body is read from the file or from standard input; without either it is a short chat message.
Calls --url, else PARLEY_URL, else PARLEY_PUBLIC_URL, else PARLEY_HOST and PARLEY_PORT, with the management key in PARLEY_MANAGEMENT_KEY
(scope \`read\`), else signed in with PARLEY_ADMIN_USER and PARLEY_ADMIN_PASSWORD.
Exit codes: 0 the request would be served, 2 it would be refused, 1 it could not be asked.`

const text = { type: 'string' } as const
const options = { key: text, group: text, model: text, dialect: text, path: text, url: text, json: { type: 'boolean' } } as const

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch {
    return fail(`Usage: ${usage}`, 2)
  }
}

async function readInput(file: string | undefined): Promise<string | undefined> {
  if (file !== undefined && file !== '-') {
    const body = await readIfThere(file).catch((thrown: unknown) => fail(`${thrown instanceof Error ? thrown.message : thrown}.`))
    return body ?? fail('The file with the request body does not exist.')
  }
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

/** Runs the command and exits: 0 when the request would be served, 2 when it would be refused, 1 on failure. */
export async function route(args: string[]): Promise<void> {
  const { values, positionals } = readArguments(args)
  if (positionals.length > 1) fail(`Usage: ${usage}`, 2)
  const { key, group, dialect, path, model, json } = values
  const body = bodyOf(await readInput(positionals[0]), model)
  const question = { body, ...(key && { key }), ...(group && { group }), ...(dialect && { dialect }), ...(path && { path }) }
  const answer = await asked(values.url, question).catch((thrown: unknown) =>
    fail(thrown instanceof Error ? thrown.message : String(thrown), thrown instanceof CommandError ? thrown.code : 1),
  )
  printLine(json ? JSON.stringify(answer, undefined, 2) : routeReport(answer))
  exit(answer.error === null ? 0 : 2)
}

async function asked(url: string | undefined, question: object): Promise<RouteAnswer> {
  const api = await openAdminApi(url)
  const answer = await api.call<RouteAnswer>('POST', '/api/route', question)
  await api.close()
  return answer
}
