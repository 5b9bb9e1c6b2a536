/** The reference as data and as Markdown: complete, without markup, and every sample and every call of it works. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sdkSamples } from '#shared/api/sdk-samples'
import type { DocPage, Docs } from '#shared/console/docs'
import { sampledEngine } from '#testing/database/database'
import { type Gateway, startGateway } from './support/gateway.ts'
import { type SnippetRunner, snippetRunner } from './support/snippet-runner.ts'

let gateway: Gateway
let docs: Docs
let runner: SnippetRunner
beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file))
  docs = (await (await fetch(`${gateway.url}/docs.json`)).json()) as Docs
  runner = await snippetRunner()
  Object.assign(process.env, { PARLEY_URL: gateway.url, PARLEY_KEY: gateway.key })
}, 90_000)
afterAll(async () => {
  delete process.env.PARLEY_URL
  delete process.env.PARLEY_KEY
  runner?.close()
  await gateway?.close()
})

const endpoints = () => docs.pages.flatMap((page) => page.endpoints)

test('it has every endpoint of the API document, each once, with an anchor of its own', async () => {
  const { paths } = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as { paths: Record<string, object> }
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(
    endpoints()
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
  ).toEqual(documented.sort())
  expect(new Set(endpoints().map(({ id }) => id)).size).toBe(endpoints().length)
})

test('every endpoint with a body has its fields, to the last level that is known', () => {
  const paths = (route: string) =>
    endpoints()
      .find(({ method, path }) => `${method} ${path}` === route)
      ?.takes.map(({ path }) => path)
  expect(paths('POST /v1/chat/completions')).toEqual(expect.arrayContaining(['model', 'messages', 'messages[].role', 'stream', 'tools']))
  expect(paths('POST /v1/messages')).toEqual(expect.arrayContaining(['max_tokens', 'system', 'thinking']))
  expect(paths('POST /api/management-keys')).toEqual(['name', 'scopes', 'expiresAt'])
  const required = endpoints()
    .find(({ path, method }) => path === '/v1/messages' && method === 'POST')
    ?.takes.filter((field) => field.required)
  expect(required?.map(({ path }) => path)).toEqual(expect.arrayContaining(['model', 'messages', 'max_tokens']))
})

test('the losses, the streams, the errors and the management keys are there', () => {
  expect(docs.pages.map(({ id }) => id)).toEqual(
    expect.arrayContaining([
      'start',
      'keys',
      'errors',
      'limits',
      'conversations',
      'stream-chat',
      'stream-gemini',
      'management-keys',
      'losses',
      'changelog',
    ]),
  )
})

test('the changelog is read when it is asked for, in both languages, with an anchor for each entry', async () => {
  const listed = docs.pages.find(({ id }) => id === 'changelog')
  expect(listed).toMatchObject({ title: 'Changelog', html: '', later: true })
  const read = async (query: string) => (await (await fetch(`${gateway.url}/docs/changelog.json${query}`)).json()) as DocPage
  const [english, chinese] = [await read(''), await read('?language=zh')]
  expect(english.html).toContain('<h4 id="change-breaking-changes">')
  expect(english.html.match(/<li id="change-/g)?.length).toBeGreaterThan(300)
  expect(chinese.title).toBe('更新日志')
  expect(chinese.html).toContain('条目只有英文')
  expect(chinese.parts?.map(({ id }) => id)).toEqual(english.parts?.map(({ id }) => id))
  const markdown = await (await fetch(`${gateway.url}/docs/changelog.md`)).text()
  expect(markdown.match(/^- /gm)?.length).toBe(english.html.match(/<li id=/g)?.length)
  expect(markdown).toContain('### Breaking changes')
  for (const name of ['nothing.json', 'changelog', 'changelog.html']) expect((await fetch(`${gateway.url}/docs/${name}`)).status).toBe(404)
})

test('what endpoints answer to bodies that are wrong is among the errors they name, and each error has its row', async () => {
  const known = [...(docs.pages.find(({ id }) => id === 'errors')?.html ?? '').matchAll(/<tr id="error-(\w+)">/g)].map(([, code]) => code)
  expect(endpoints().flatMap(({ errors }) => errors.filter((code) => !known.includes(code)))).toEqual([])
  const asked = endpoints().filter(({ takes, path, method }) => takes.length > 0 && method !== 'GET' && !path.includes('{'))
  expect(asked.length).toBeGreaterThan(40)
  const unnamed: string[] = []
  for (const { method, path, errors } of asked) {
    for (const body of ['{', '{"nothing of the kind": 1}', '{"model": "no such model"}']) {
      const { status, text } = path.startsWith('/api/') ? await asAdministrator(method, path, body) : await withKey(method, path, body)
      if (status < 400) continue
      const code = /"code": ?"(\w+)"|"reason": ?"(\w+)"/.exec(text)?.slice(1).find(Boolean)
      if (code !== undefined && !errors.includes(code)) unnamed.push(`${method} ${path} ${body}: ${code}`)
    }
  }
  expect(unnamed).toEqual([])
}, 60_000)

async function withKey(method: string, path: string, body: string) {
  const headers = { authorization: `Bearer ${gateway.key}`, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' }
  const answer = await fetch(gateway.url + path, { method, headers, body })
  return { status: answer.status, text: await answer.text() }
}

async function asAdministrator(method: string, path: string, body: string) {
  const headers = { cookie: gateway.admin.cookie, origin: gateway.url, 'content-type': 'application/json' }
  const answer = await fetch(gateway.url + path, { method, headers, body })
  return { status: answer.status, text: await answer.text() }
}

test('language models get the list of pages, and each page as Markdown', async () => {
  const index = await (await fetch(`${gateway.url}/llms.txt`)).text()
  expect(index).toStartWith('# Parley\n')
  const links = [...index.matchAll(/\]\((http[^)]+\.md)\)/g)].map(([, link = '']) => link)
  expect(links.length).toBe(docs.pages.length)
  for (const link of links) {
    const answer = await fetch(gateway.url + new URL(link).pathname)
    expect([link, answer.status, answer.headers.get('content-type')]).toEqual([link, 200, 'text/markdown; charset=utf-8'])
    const text = await answer.text()
    expect(text).toStartWith('# ')
    expect([link, /<\/?(p|div|table|tr|td|th|code|li|ul|h\d|pre|span)\b/.exec(text.replace(/```[\s\S]*?```/g, ''))]).toEqual([link, null])
  }
  expect((await fetch(`${gateway.url}/docs/nothing.md`)).status).toBe(404)
})

test('a browser gets the page of the console, anything else one page without scripts', async () => {
  expect(await (await fetch(`${gateway.url}/docs`)).text()).not.toContain('<script')
  expect(await (await fetch(`${gateway.url}/docs.html`)).text()).not.toContain('<script')
})

test('the page without scripts is in the language that the browser prefers, or that the address names; the rest stays English', async () => {
  const page = async (path: string, language: string) => {
    const answer = await fetch(gateway.url + path, { headers: { 'accept-language': language } })
    return { vary: answer.headers.get('vary'), text: await answer.text() }
  }
  const chinese = await page('/docs.html', 'zh-CN,zh;q=0.9,en;q=0.8')
  expect(chinese.text).toContain('<html lang="zh">')
  expect(chinese.vary).toContain('accept-language')
  expect((await page('/docs', 'zh')).text).toBe(chinese.text)
  expect((await page('/docs.html?language=zh', 'en')).text).toBe(chinese.text)
  expect((await page('/docs.html?language=en', 'zh')).text).toContain('<html lang="en">')
  for (const path of ['/llms.txt', '/docs/start.md']) expect((await page(path, 'zh')).text).toBe((await page(path, 'en')).text)
})

describe('every call that the page offers is taken', () => {
  test('with its body as it stands', async () => {
    const offered = endpoints().flatMap(({ method, path, tryIt }) => (tryIt ? [{ route: `${method} ${path}`, method, ...tryIt }] : []))
    expect(offered.length).toBeGreaterThan(15)
    for (const { route, method, path, body } of offered) {
      const headers = { authorization: `Bearer ${gateway.key}`, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' }
      const answer = await fetch(gateway.url + path, { method, headers, ...(body !== '' && { body }) })
      const text = await answer.text()
      // The demo has no web search, makes no videos and has no calls, and what Ollama's clients may not do is refused; both say so.
      const isTold = /unsupported|Parley does not serve this|There is no (?:video|call)/.test(text)
      expect([route, answer.status < 300 || isTold, answer.status < 300 ? '' : text.slice(0, 200)]).toEqual([
        route,
        true,
        answer.status < 300 ? '' : text.slice(0, 200),
      ])
    }
  }, 60_000)
})

describe('samples of the libraries', () => {
  for (const { route, language, text } of sdkSamples) {
    test(`${language}: ${route}`, async () => {
      if (language === 'Python' && runner.withoutPython !== undefined) throw new Error(runner.withoutPython)
      expect((await runner.run(language, text, gateway.key)).trim().length).toBeGreaterThan(10)
    }, 60_000)
  }
})
