/** The console API as browser tests use it to prepare a program and to look behind its pages. */
import { administrator, administratorPassword, type Program } from '#testing/program/program'

/** The console API with the administrator's session. */
export async function consoleApi(
  program: Program,
  who: { name: string; password: string } = { name: administrator.PARLEY_ADMIN_USER, password: administratorPassword },
): Promise<(method: string, path: string, body?: unknown) => Promise<unknown>> {
  const json = { 'content-type': 'application/json' }
  const answer = await fetch(`${program.url}/api/session`, { method: 'POST', headers: json, body: JSON.stringify(who) })
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  return async (method, path, body) => {
    const init = { method, headers: { ...json, cookie }, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const answered = await fetch(program.url + path, init)
    if (!answered.ok) throw new Error(`${method} ${path}: ${answered.status} ${await answered.text()}`)
    return answered.status === 204 ? undefined : answered.json()
  }
}

/** The names of all channels. */
export async function channelNames(program: Program): Promise<string[]> {
  const { data } = (await (await consoleApi(program))('GET', '/api/channels')) as { data: { name: string }[] }
  return data.map(({ name }) => name)
}
