/** Every method of an SDK's client, called once by reflection: the HTTP requests of each, and the answers. */

/** One call over HTTP. */
export interface Asked {
  method: string
  /** Path, without the query. */
  path: string
  status: number
  type: string
  text: string
}

/** A method, and its requests; none if it works without its server. */
export interface Called {
  /** `beta.messages.batches` */
  resource: string
  method: string
  asked: Asked[]
}

/** Milliseconds that a method is given before its calls are looked at. */
const patienceMs = 4000
const deepest = 8
/** Bytes of an answer that are looked at. */
const most = 64 * 1024

/** `fetch` of an SDK, noting what passes. Every answer is read here, so that no stream stays open. */
export function noting(): { fetch: typeof fetch; taken(): Promise<Asked[]> } {
  const real = globalThis.fetch
  let pending: Promise<Asked | undefined>[] = []
  async function noted(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
    const url = new URL(input instanceof Request ? input.url : input)
    if (url.hostname !== '127.0.0.1') throw new Error('another server')
    const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase()
    const stop = AbortSignal.timeout(patienceMs)
    const whole = real(input, { ...init, signal: stop }).then(async (answer) => ({ answer, bytes: await answer.arrayBuffer() }))
    pending.push(
      whole.then(
        ({ answer, bytes }) => ({
          ...{ method, path: url.pathname, status: answer.status, type: answer.headers.get('content-type') ?? '' },
          text: new TextDecoder().decode(bytes.slice(0, most)),
        }),
        (thrown: Error) => ({ method, path: url.pathname, status: 0, type: '', text: String(thrown) }),
      ),
    )
    const { answer, bytes } = await whole
    return new Response(answer.status === 204 ? null : bytes, { status: answer.status, headers: answer.headers })
  }
  return {
    fetch: Object.assign(noted, { preconnect: () => undefined }) as typeof fetch,
    async taken() {
      const all = pending
      pending = []
      return (await Promise.all(all)).filter((one) => one !== undefined)
    },
  }
}

/** How methods of an SDK are called. */
export interface Ways {
  /** Whether an object within the client is one of its resources. */
  isResource(value: object, name: string): boolean
  /** Methods that are no call of its users. */
  isOwn(resource: string, method: string): boolean
  /** What it is called with; `parameters`: the names in its source. */
  argsOf(resource: string, method: string, parameters: readonly string[], source: string): unknown[]
}

function methodsOf(resource: object): string[] {
  const names = new Set<string>()
  for (let own = resource; own !== null && own !== Object.prototype; own = Object.getPrototypeOf(own)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(own))) {
      if (typeof value === 'function' && name !== 'constructor' && !/^[_#A-Z]/.test(name)) names.add(name)
    }
  }
  return [...names]
}

/** Also what getters give. */
function withinOf(resource: object): [string, unknown][] {
  const names = new Set<string>()
  for (let own = resource; own !== null && own !== Object.prototype; own = Object.getPrototypeOf(own)) {
    for (const name of Object.getOwnPropertyNames(own)) if (!/^[_#]/.test(name)) names.add(name)
  }
  return [...names].map((name) => [name, Reflect.get(resource, name)])
}

const parametersOf = (source: string): string[] => {
  const [, inside = ''] = /^(?:async\s*)?(?:function\s*)?[\w$]*\s*\(([^)]*)\)/.exec(source) ?? []
  return inside
    .split(',')
    .map((one) => one.replace(/[=].*$/s, '').trim())
    .filter((one) => one !== '')
}

/** Whatever a method gives: promises are waited for, lists and streams begun. */
async function settled(result: unknown): Promise<void> {
  const value = await result
  if (typeof value !== 'object' || value === null) return
  if (!(Symbol.asyncIterator in value)) return
  for await (const _ of value as AsyncIterable<unknown>) return
}

const late = () => new Promise<void>((resolve) => setTimeout(resolve, patienceMs))

/** Calls every method of the client, one after another. `asked`: of the fetch that it was made with. */
export async function callAll(client: object, ways: Ways, taken: () => Promise<Asked[]>): Promise<Called[]> {
  const called: Called[] = []
  const seen = new Set<object>([client])

  async function callThose(resource: object, path: string): Promise<void> {
    for (const method of methodsOf(resource)) {
      if (ways.isOwn(path, method)) continue
      const own = Reflect.get(resource, method) as (...args: unknown[]) => unknown
      const source = own.toString()
      try {
        const result = own.apply(resource, ways.argsOf(path, method, parametersOf(source), source))
        await Promise.race([settled(result), late()])
      } catch {
        // The HTTP answer is checked, not the SDK's result.
      }
      called.push({ resource: path, method, asked: await taken() })
    }
  }

  async function walk(resource: object, path: string, depth: number): Promise<void> {
    if (path !== '') await callThose(resource, path)
    if (depth > deepest) return
    for (const [name, value] of withinOf(resource)) {
      if (typeof value !== 'object' || value === null || seen.has(value) || !ways.isResource(value, name)) continue
      seen.add(value)
      await walk(value, path === '' ? name : `${path}.${name}`, depth + 1)
    }
  }

  await walk(client, '', 0)
  return called
}
