/**
 * A certified OpenID provider (the package oidc-provider) with fictitious people, and a minimal browser that signs in there: redirects,
 * cookies and the provider's two plain forms.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The provider's data on a person, by subject, which is also the login. */
export type People = Record<string, { preferred_username?: string; groups?: string[] }>

/** A provider that listens on 127.0.0.1. */
export interface RunningProvider {
  issuer: string
  people: People
  /** Requests to the token endpoint so far. */
  exchanges(): number
  /** Registers Parley; until then the provider answers 503. */
  register(client: { id: string; secret: string; redirectUri: string }): Promise<void>
  close(): Promise<void>
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Starts the provider. Its client is registered later, since Parley's address is not known before Parley has started. */
export async function startIdentityProvider(people: People): Promise<RunningProvider> {
  let exchanges = 0
  let handler: Handler = (_, response) => response.writeHead(503).end()
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/token')) exchanges += 1
    handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    people,
    exchanges: () => exchanges,
    async register({ id, secret, redirectUri }) {
      const { Provider } = await import('oidc-provider')
      const provider = new Provider(issuer, {
        clients: [{ client_id: id, client_secret: secret, redirect_uris: [redirectUri] }],
        claims: { openid: ['sub'], profile: ['preferred_username'], email: ['email'], groups: ['groups'] },
        findAccount: (_: unknown, subject: string) => ({ accountId: subject, claims: () => ({ sub: subject, ...people[subject] }) }),
      })
      handler = provider.callback()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A browser's cookies and redirects, without its scripts. */
export class PlainBrowser {
  /** By origin: other than a browser's, since all origins of a test are ports of one address. */
  readonly cookies = new Map<string, Map<string, string>>()

  async fetch(address: string | URL, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(address)
    const kept = this.cookies.get(origin) ?? new Map<string, string>()
    this.cookies.set(origin, kept)
    const headers = new Headers(init.headers)
    headers.set('cookie', [...kept].map(([name, value]) => `${name}=${value}`).join('; '))
    const answer = await fetch(address, { ...init, headers, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) kept.delete(name)
      else kept.set(name, value)
    }
    return answer
  }

  /** Signs in at the provider as `login`, and returns the address with which the provider sends the browser back, not yet opened. */
  async signInAt(address: string, login: string, home: string): Promise<URL> {
    let next = new URL(address)
    for (let steps = 0; steps < 12; steps++) {
      if (next.origin === home) return next
      const answer = await this.fetch(next)
      const location = answer.headers.get('location')
      if (location !== null) {
        next = new URL(location, next)
        continue
      }
      const page = await answer.text()
      const [, action] = /<form[^>]* action="([^"]+)"/.exec(page) ?? []
      const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? []
      if (action === undefined || prompt === undefined) throw new Error(`${answer.status} from the provider: ${page.slice(0, 500)}`)
      const body = new URLSearchParams({ prompt, ...(prompt === 'login' && { login, password: 'any' }) })
      const sent = await this.fetch(new URL(action, next), { method: 'POST', body })
      next = new URL(sent.headers.get('location') ?? '', next)
    }
    throw new Error('the provider does not come to an end')
  }
}
