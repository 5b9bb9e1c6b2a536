/**
 * No text from a model, an upstream or a name becomes part of the page: no script runs, nothing is fetched, and the content security policy
 * is never needed. So the whole page is tested with and without the policy, and the renderer alone with every payload cut at every offset.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright/test'
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { expect, testWithoutDemo as test } from './support/browser-test.ts'
import { consoleApi } from './support/console-api.ts'
import { families, payloads } from './support/payloads.ts'
import { addChannel, chooseModel, removeChannels, sendMessage, signIn, turns, waitForReply } from './support/playground.ts'

/** Batches of joined payloads; unclosed ones are in the last batch. */
const batches = [
  [...families.rawHtml, ...families.mutating, ...families.nested],
  families.handlers,
  families.addresses,
  [...families.breakouts, ...families.formulas],
  families.unclosed,
].map((family) => family.join('\n\n'))
const image = '<img src=x onerror=window.__pwned=1>'
const model = `scripted ${image}`

let upstream: ScriptedUpstream
test.beforeAll(async ({ program }) => {
  upstream = await scriptedUpstream()
  await addChannel(program, `${upstream.url}/v1`, model)
  const call = await consoleApi(program)
  await call('POST', '/api/users', { name: `eve ${image}`, password: 'password of eve', balance: '10' })
})
test.afterAll(async ({ program }) => {
  await removeChannels(program)
  await upstream?.close()
})

test('the corpus is large enough', () => expect(new Set(payloads).size).toBeGreaterThanOrEqual(150))

for (const policy of ['with the policy', 'without the policy'] as const) {
  test.describe(policy, () => {
    test.use({ bypassCSP: policy === 'without the policy' })

    test('replies, reasoning, tool calls, refusals, names and titles are only text', async ({ page, tolerate }) => {
      // The page asks for the figures of a failed request, which may not be there yet.
      tolerate(/status of 404/)
      const happened = await watchHarm(page)
      await signIn(page, { name: `eve ${image}`, password: 'password of eve' })
      await chooseModel(page, 'scripted')
      for (const text of batches) {
        upstream.answer(stream(hostileStream(text)))
        await sendMessage(page, `${image} ${text}`)
        await waitForReply(page)
        await turns(page)
          .last()
          .getByRole('button', { name: /^Thought/ })
          .click()
        await expect(turns(page).last().locator('.thoughts')).toContainText(text.slice(0, 40).split(/\s/)[0] ?? '')
      }
      // A diagram is drawn by a worker and shown as a picture, in which nothing runs.
      const diagram = `graph TD\n  A["${image}"] -->|<script>window.__pwned=1</script>| B[Said]\n  click A "javascript:window.__pwned=1"`
      upstream.answer(stream(hostileStream(`\`\`\`mermaid\n${diagram}\n\`\`\``)))
      await sendMessage(page, 'Draw it')
      await waitForReply(page)
      await turns(page).last().getByRole('button', { name: 'Diagram' }).click()
      const drawn = turns(page)
        .last()
        .getByRole('img', { name: /^Diagram: graph TD/ })
      await expect.poll(() => drawn.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBeGreaterThan(50)
      expect([...happened, await page.evaluate(() => '__pwned' in window)]).toEqual([false])
      await turns(page).last().getByRole('button', { name: 'Diagram' }).click()
      await harmless(page, happened)
      await page.getByRole('button', { name: 'Inspector', exact: true }).click()
      for (const tab of await page.getByRole('tab').all()) {
        await tab.click()
        await harmless(page, happened)
      }
      await page.reload()
      await expect(turns(page)).not.toHaveCount(0)
      await harmless(page, happened)
    })

    test('what upstreams say of an error is only text', async ({ page, tolerate }) => {
      tolerate(/Failed to load resource/)
      const happened = await watchHarm(page)
      await signIn(page)
      await chooseModel(page, 'scripted')
      for (const [at, message] of batches.entries()) {
        const error = { error: { message, type: image, code: at % 2 === 0 ? image : 'invalid_value', param: image } }
        const cut = [event({ content: 'Said this.' }), `data: ${JSON.stringify(error)}\n\n`]
        upstream.answer(at % 2 === 0 ? respondJson(400, error) : stream(cut))
        await sendMessage(page, 'Hello')
        await waitForReply(page, 'failed')
        await harmless(page, happened)
      }
    })
  })
}

test.describe('the renderer alone, without a policy', () => {
  test.use({ bypassCSP: true })

  test('every payload, cut at every offset', async ({ page }) => {
    const happened = await watchHarm(page)
    await page.goto('/')
    await page.getByLabel('Username').waitFor()
    const rendered = await page.evaluate(renderAll, { payloads, ...(await builtModules()) })
    expect(rendered).toBeGreaterThan(payloads.join('').length)
    await harmless(page, happened)
  })

  test('and the corpus is alive: put in as markup, it runs', async ({ page, tolerate }) => {
    tolerate(/./)
    await page.goto('/')
    await page.getByLabel('Username').waitFor()
    const alive = await page.evaluate(async (texts) => {
      const place = document.body.appendChild(document.createElement('div'))
      const seen = new Set<string>()
      // On a busy machine some need longer: those that have not run are put in again, for longer.
      for (let patience = 10; seen.size <= 20 && patience < 1_000; patience *= 4) {
        for (const text of texts.filter((one) => !seen.has(one))) {
          place.innerHTML = text
          await new Promise((resolve) => setTimeout(resolve, patience))
          if ('__pwned' in window) seen.add(text)
          Reflect.deleteProperty(window, '__pwned')
        }
      }
      return seen.size
    }, families.handlers)
    expect(alive).toBeGreaterThan(20)
  })
})

/** Records, from now on, effects that a payload must not have; foreign requests and errors are checked by the fixture. */
async function watchHarm(page: Page): Promise<string[]> {
  const happened: string[] = []
  page.on('dialog', (dialog) => {
    happened.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('popup', () => happened.push('popup'))
  page.on('request', (request) => {
    const { protocol, pathname } = new URL(request.url())
    if (/^https?:$/.test(protocol) && !/^\/(assets\/|api\/|pg\/|c\/|mark\.svg|favicon\.ico|$)/.test(pathname))
      happened.push(`request: ${pathname}`)
  })
  await page.exposeFunction('noteViolation', (what: string) => happened.push(`violation: ${what}`))
  await page.addInitScript(() => {
    const { noteViolation } = window as unknown as { noteViolation: (what: string) => void }
    document.addEventListener('securitypolicyviolation', (event) => noteViolation(`${event.violatedDirective} ${event.blockedURI}`))
  })
  return happened
}

/** Looks at the page as it stands: nothing ran, and nothing is there that could run later. */
async function harmless(page: Page, happened: string[]): Promise<void> {
  const found = await page.evaluate(() => {
    const faults: string[] = '__pwned' in window ? ['a payload ran'] : []
    for (const element of document.querySelectorAll('body *')) {
      const tag = element.localName
      if (/^(script|iframe|object|embed|base|meta|style|link|audio|video|source|foreignobject|animate|use)$/.test(tag)) {
        if (!(element instanceof HTMLScriptElement && element.src.startsWith(`${location.origin}/assets/`))) faults.push(tag)
      }
      for (const { name, value } of element.attributes) {
        if (name.startsWith('on')) faults.push(`${tag} ${name}`)
        if (
          /^(href|src|srcset|action|formaction|poster|xlink:href)$/.test(name) &&
          !/^(https?:|mailto:|data:image\/(png|jpeg|gif|webp);|\/(?!\/)|#)/.test(value)
        )
          faults.push(`${tag} ${name}=${value}`)
        if (/^style$/.test(name) && /url\(/i.test(value)) faults.push(`${tag} ${value}`)
      }
      if (tag === 'img' && !element.getAttribute('src')?.startsWith('data:image/') && !element.getAttribute('src')?.startsWith('/'))
        faults.push('img')
      const link = element instanceof HTMLAnchorElement && element.closest('.md') !== null
      if (link && !(element.rel.includes('noopener') && element.rel.includes('noreferrer'))) faults.push(`unguarded ${element.href}`)
    }
    return faults
  })
  expect([...happened, ...found]).toEqual([])
}

const event = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: image, object: 'chat.completion.chunk', created: 1, model: image, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

/** A stream that says `text` in every place a reply has, cut into pieces of one to nine characters. */
function hostileStream(text: string): string[] {
  const parts = cut(text)
  const call = (name: string, args: string, index: number) => ({
    index,
    id: `call ${image} ${index}`,
    type: 'function',
    function: { name, arguments: args },
  })
  return [
    ...parts.map((part) => event({ reasoning_content: part })),
    ...parts.map((part) => event({ content: part })),
    event({ refusal: text }),
    event({ tool_calls: [call(image, text, 0), call(text.slice(0, 300), JSON.stringify({ [image]: text }), 1)] }),
    event({}, 'stop'),
    'data: [DONE]\n\n',
  ]
}

function cut(text: string): string[] {
  const parts: string[] = []
  for (let from = 0, size = 1; from < text.length; from += size, size = (size % 9) + 1) parts.push(text.slice(from, from + size))
  return parts
}

interface Modules {
  render: string
  math: string
  highlight: string
}

/** Addresses of the built renderer's parts. */
async function builtModules(): Promise<Modules> {
  const path = fileURLToPath(new URL('../dist/client/.vite/manifest.json', import.meta.url))
  const manifest: Record<string, { file: string }> = JSON.parse(readFileSync(path, 'utf8'))
  const address = (module: string) => `/${manifest[module]?.file}`
  const markdown = 'features/playground/markdown'
  return { render: address(`${markdown}/render.ts`), math: address(`${markdown}/math.ts`), highlight: address('ui/code/highlight.ts') }
}

/** Runs in the page: renders every beginning of every payload into the document, and answers how many. */
async function renderAll({ payloads, render, math, highlight }: Modules & { payloads: readonly string[] }): Promise<number> {
  const { renderBlock, renderSpans } = await import(render)
  const { drawMath } = await import(math)
  const { highlight: colour } = await import(highlight)
  const place = document.body.appendChild(document.createElement('div'))
  place.className = 'md'
  let rendered = 0
  for (const text of payloads) {
    for (let end = 1; end <= text.length; end += 1, rendered += 1) place.replaceChildren(renderBlock(text.slice(0, end), ''))
    const kept = place.appendChild(document.createElement('div'))
    kept.append(renderBlock(text, text), renderSpans((await colour(text, 'html')) ?? ''), renderSpans(text))
    await drawMath(kept)
    document.body.append(kept)
    rendered += 1
    // Inserted content may act only after the script has yielded.
    if (rendered % 7 === 0) await new Promise((resolve) => setTimeout(resolve))
  }
  await new Promise((resolve) => setTimeout(resolve, 300))
  return rendered
}
