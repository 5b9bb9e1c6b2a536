/**
 * A page of any list has about a megabyte at most, however large its rows are: large rows do not stall those who list them. Every address
 * with a limit is covered, from the API document: with rows as large as allowed, or the reason why they are small.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { type Gateway, startGateway } from './support/gateway.ts'

/** A page that ends with the row that made it too large has one more. */
const mostBytes = 2 * 1024 * 1024

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file))
}, 60_000)
afterAll(() => gateway?.close())

const names = (count: number, length: number) => Array.from({ length: count }, (_, n) => `${n}`.padEnd(length, '漢'))
const each = async (count: number, make: (n: number) => Promise<unknown>) => {
  for (let n = 0; n < count; n++) await make(n)
}

/** Makes the rows of a list so large that 200 of them are more than a page. */
const large: Record<string, () => Promise<unknown>> = {
  '/api/keys': () => each(8, (n) => gateway.admin.call('POST', '/api/keys', { name: `large ${n}`, models: names(500, 256) })),
  '/api/channels': () =>
    each(3, (n) => gateway.channel(`large ${n}`, 'http://127.0.0.1:9', { models: names(1_200, 200).map((name) => `${n} ${name}`) })),
  '/api/teams': () => each(8, (n) => gateway.admin.call('POST', '/api/teams', { name: `large ${n}`, models: names(500, 256) })),
  // Of the same keys and channels.
  '/api/audit': () =>
    each(8, async (n) => {
      const { data } = await gateway.admin.call<{ data: { id: string }[] }>('GET', '/api/keys?limit=1')
      await gateway.admin.call('PATCH', `/api/keys/${data[0]?.id}`, { models: names(500, 255).map((name) => `${n}${name}`) })
    }),
}

/** Lists whose rows cannot be large: the largest of them times 200 is no more than a page. */
const small: Record<string, string> = {
  '/api/batches': 'names, a model of 256 characters, figures',
  '/api/work': 'names, a model of 256 characters, figures',
  '/api/bodies/export': 'sent as a stream, line by line: bodies.test.ts',
  '/api/alerts': 'names, a sentence and a few figures',
  '/api/alerts/hooks': 'fifty at most, each with a name and twenty addresses of mail',
  '/api/channels/outcomes': 'an id and two figures for each of 24 slices',
  '/api/capabilities': 'a name, figures, facts by fixed words; cut as the others are',
  '/api/models': 'a name, figures, lists of fixed words; cut as the others are',
  '/api/invitations': 'names and a note of 200 characters',
  '/api/users': 'a name and groups that exist; cut as the others are',
  '/api/users/{id}/sessions': 'an address and 200 characters of an agent',
  '/api/sessions': 'an address and 200 characters of an agent',
  '/api/management-keys': 'a name and scopes',
  '/api/session/identities': 'an issuer and a name',
  '/api/conversations': 'an id and figures',
  '/api/shares': 'a title of 200 characters',
  '/api/environment': 'the table of variables',
  '/api/groups': 'a name, a description, a budget, fallback models; cut as the others are',
  '/api/prices': 'figures',
  '/api/prices/{model}/history': 'figures, before and after',
  '/api/catalogue': 'a name, figures, names of channels; cut as the others are',
  '/api/usage': 'a name for each level, and figures',
  '/api/logs': 'names, figures, attempts and 200 losses of 256 characters; cut as the others are',
  '/api/plans': 'a name and six windows',
  '/api/codes': 'a note of 200 characters and names',
  '/api/credits': 'a reference and a reason of 500 characters',
  '/api/replays': 'figures, and targets of 16 kilobytes; cut as the others are',
  '/api/users/{id}/entries': 'a reason of 500 characters',
  '/api/teams/{id}/entries': 'a reason of 500 characters',
  '/api/teams/{id}/members': 'a name, a role, a cap',
}

type Document = { paths: Record<string, { get?: { parameters?: { name?: string; $ref?: string }[] } }> }

test('every list of the document is known here', async () => {
  const document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as Document
  const isLimit = ({ name, $ref = '' }: { name?: string; $ref?: string }) => name === 'limit' || /limit/i.test($ref)
  const lists = Object.entries(document.paths).flatMap(([path, { get }]) => (get?.parameters?.some(isLimit) ? [path] : []))
  expect(lists.filter((path) => path.startsWith('/api')).sort()).toEqual([...Object.keys(large), ...Object.keys(small)].sort())
})

test.each(Object.entries(large))(
  '%s',
  async (path, make) => {
    await make()
    let after = ''
    let rows = 0
    const sizes: number[] = []
    do {
      const text = await (await gateway.admin.raw('GET', `${path}?limit=200${after}`)).text()
      const { data, next } = JSON.parse(text) as { data: unknown[]; next: string | null }
      rows += data.length
      sizes.push(Buffer.byteLength(text))
      after = next === null ? '' : `&after=${encodeURIComponent(next)}`
    } while (after !== '')
    console.log(`${path}: ${rows} rows in pages of ${sizes.map((size) => `${Math.round(size / 1024)} KB`).join(', ')}`)
    expect(Math.max(...sizes)).toBeLessThan(mostBytes)
  },
  60_000,
)

test('the list of models can be read from any of them on', async () => {
  const names = ['a-model', 'b-model', 'c-model']
  await gateway.channel('three', 'http://127.0.0.1:9', { models: names })
  for (const model of names) await gateway.price(model)
  const { key } = await gateway.user('reader', '1')
  const list = async (query: string) => {
    const answer = await fetch(`${gateway.url}/v1/models${query}`, { headers: { authorization: `Bearer ${key}` } })
    const { data } = (await answer.json()) as { data?: { id: string }[] }
    return [answer.status, data?.map(({ id }) => id)]
  }
  expect(await list('')).toEqual([200, names])
  expect(await list('?after=a-model')).toEqual([200, names.slice(1)])
  expect(await list('?after=none')).toEqual([400, undefined])
})
