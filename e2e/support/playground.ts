/** User actions in the playground, and the setup for tests that need an upstream of their own. */
import { expect, type Locator, type Page } from 'playwright/test'
import type { Program } from '#testing/program/program'
import { admin } from './browser-test.ts'
import { consoleApi } from './console-api.ts'

/** Node 20 lacks this function, which the scripted upstream uses. */
Promise.withResolvers ??= <T>() => {
  let resolve: (value: T | PromiseLike<T>) => void = () => undefined
  let reject: (reason?: unknown) => void = () => undefined
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

/** Signs in with the form and waits for the message box. */
export async function signIn(page: Page, who: { name: string; password: string } = admin): Promise<void> {
  await page.goto('/')
  await page.getByLabel('Username').fill(who.name)
  await page.getByLabel('Password').fill(who.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await messageBox(page).waitFor()
}

/** The message box. */
export const messageBox = (page: Page): Locator => page.getByRole('textbox', { name: 'Message', exact: true })

/** How many turns the open branch has; only those near the window are on the page, and the last one is when it is read. */
export const turnCount = (page: Page): Promise<number> =>
  page
    .locator('.turn-box')
    .last()
    .evaluate((box) => Number(box.getAttribute('data-index')) + 1)

/** Every turn on the page, oldest first. */
export const turns = (page: Page): Locator => page.locator('article[data-message]')

/** The button that sends the message. */
export const sendButton = (page: Page): Locator => page.getByRole('button', { name: 'Send', exact: true })

/** The button that stops the reply. */
export const stopButton = (page: Page): Locator => page.getByRole('button', { name: 'Stop', exact: true })

/** Types a message and sends it with Enter. */
export async function sendMessage(page: Page, text: string): Promise<void> {
  await messageBox(page).fill(text)
  await messageBox(page).press('Enter')
}

/** A question whose reply outlasts any test; the test stops the reply or leaves the page. */
export const endlessPrompt = '/long 4000'

/** Waits until the last reply has ended in `state`. The last turn on the page may be an older one until the page has scrolled. */
export async function waitForReply(page: Page, state = 'complete'): Promise<Locator> {
  await page.locator(`article[data-latest][data-state="${state}"]`).waitFor()
  await sendButton(page).waitFor()
  return turns(page).last()
}

/** Holds back the next chat request until the returned function is called, so that its reply stays in progress. */
export async function holdRequest(page: Page): Promise<() => void> {
  const held = Promise.withResolvers<void>()
  await page.route(
    '/pg/chat/completions',
    async (route) => {
      await held.promise
      await route.continue()
    },
    { times: 1 },
  )
  return held.resolve
}

/** Waits for a few frames, as many as any automatic scrolling needs. */
export const waitForFrames = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 12; frame += 1) await new Promise(requestAnimationFrame)
  })

/** Waits until this browser has stored `text` in its JSON form: a part of a message, a title, a draft or a figure. */
export async function waitUntilStored(page: Page, text: string): Promise<void> {
  await expect.poll(() => stored(page), { intervals: [50] }).toContain(text)
}

/** Reloads the page when what it has written so far is stored: a browser drops what still waits for a slow disk. */
export async function reloadStored(page: Page): Promise<void> {
  await stored(page)
  await page.reload()
}

/** Everything that this browser has stored, as one JSON text. Comes after all that was written before. */
const stored = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const answerOf = <Result>(request: IDBRequest<Result>) =>
      new Promise<Result>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const found: unknown[] = []
    for (const { name } of await indexedDB.databases()) {
      const database = await answerOf(indexedDB.open(name ?? ''))
      const stores = [...database.objectStoreNames]
      found.push(await Promise.all(stores.map((store) => answerOf(database.transaction(store).objectStore(store).getAll()))))
      database.close()
    }
    return JSON.stringify(found)
  })

/** The body of the next chat request. */
export async function nextBody(page: Page, act: () => Promise<unknown>): Promise<Record<string, unknown>> {
  const sent = page.waitForRequest((request) => request.url().endsWith('/pg/chat/completions'))
  await act()
  return (await sent).postDataJSON()
}

/** Creates a channel in group default at `baseUrl` that offers `model`. */
export async function addChannel(program: Program, baseUrl: string, model: string, vendor = 'openai-compatible'): Promise<void> {
  const call = await consoleApi(program)
  await call('POST', '/api/channels', {
    name: `channel of ${model}`,
    vendor,
    baseUrl,
    keys: ['sk-vendor'],
    models: [model],
  })
  await call('PUT', `/api/prices/${encodeURIComponent(model)}`, { input: '1', output: '2' })
}

/** Ends what failures of earlier tests left behind: rests and open breakers. */
export async function resetChannels(program: Program): Promise<void> {
  const call = await consoleApi(program)
  const { data } = (await call('GET', '/api/channels')) as { data: { id: string }[] }
  for (const { id } of data) await call('POST', `/api/channels/${id}/reset`)
}

/** Removes the channels that tests have made: later tests with this program would choose their models. */
export async function removeChannels(program: Program): Promise<void> {
  const call = await consoleApi(program)
  const { data } = (await call('GET', '/api/channels')) as { data: { id: string; name: string }[] }
  for (const { id, name } of data) if (name !== 'demo') await call('DELETE', `/api/channels/${id}`)
}

/** Creates a user with this balance in USD. */
export async function addUser(program: Program, name: string, password: string, balance = '10'): Promise<void> {
  await (await consoleApi(program))('POST', '/api/users', { name, password, balance })
}

/** Chooses a model from the list above the composer. */
export async function chooseModel(page: Page, model: string): Promise<void> {
  await page.getByRole('button', { name: /^Model, / }).click()
  await page.getByRole('combobox', { name: /^Search/ }).fill(model)
  await page.getByRole('option', { name: new RegExp(model) }).click()
}
