/** `/docs` in the console: contents, search, the reader's language, a call made from the page; with and without a session. */
import { expect, test } from './support/browser-test.ts'
import { expectClean, openConsole } from './support/console.ts'

test('anybody reads it, finds what they look for, and keeps their language', async ({ page }) => {
  test.setTimeout(90_000)
  await page.goto('/docs')
  await expect(page.getByRole('heading', { name: 'Quickstart' })).toBeVisible()
  await expectClean(page, 'quickstart')
  await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Conversations' }).click()
  await expect(page).toHaveURL(/page=conversations/)
  const chat = page.getByRole('region', { name: /POST \/v1\/chat\/completions$/ }).first()
  await expect(chat.getByText('messages[].role', { exact: true })).toBeVisible()
  await chat.getByRole('button', { name: 'Python' }).click()
  await expect(chat.getByRole('group', { name: /^Python/ })).toContainText('from openai import OpenAI')
  await page.reload()
  await expect(chat.getByRole('group', { name: /^Python/ })).toBeVisible()
  await expectClean(page, 'conversations')

  await page.getByRole('searchbox', { name: 'Search the reference' }).fill('rerank documents')
  // The endpoint before what the changelog says of it.
  await page
    .getByRole('link', { name: /\/v1\/rerank/ })
    .first()
    .click()
  await expect(page.getByRole('heading', { name: /\/v1\/rerank/ })).toBeInViewport()
  await page.goBack()
  await expect(page).toHaveURL(/page=conversations/)

  await page.evaluate(() => localStorage.setItem('parley.language', 'zh'))
  await page.reload()
  await expect(page.getByRole('navigation', { name: '目录' }).getByRole('link', { name: '快速开始' })).toBeVisible()
  await expect(chat.getByText('最终用户').first()).toBeVisible()
  await page.getByRole('searchbox', { name: '搜索文档' }).fill('重排序')
  await page
    .getByRole('link', { name: /\/v1\/rerank/ })
    .first()
    .click()
  await expect(page.getByRole('heading', { name: /^对文档重排序.*\/v1\/rerank$/ })).toBeInViewport()
  await expectClean(page, 'in Chinese')
  // As a question is typed: without spaces, with words of one's own.
  const search = page.getByRole('searchbox', { name: '搜索文档' })
  const first = page.getByRole('navigation', { name: '目录' }).getByRole('link').first()
  for (const [typed, path] of [
    ['如何创建密钥', '/api/keys'],
    ['删除渠道', '/api/channels/{id}'],
    ['语音转文字', '/v1/audio/transcriptions'],
  ] as const) {
    await search.fill(typed)
    await expect(first).toContainText(path)
  }
})

test('the changelog comes when it is opened or searched, by subject, with addresses for its entries', async ({ page }) => {
  test.setTimeout(90_000)
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('/docs/changelog') && asked.push(request.url()))
  await page.goto('/docs?page=errors')
  const contents = page.getByRole('navigation', { name: 'Contents' })
  await expect(page.getByRole('heading', { name: 'Errors', level: 2 })).toBeVisible()
  expect(asked).toEqual([])
  await contents.getByRole('link', { name: 'Changelog' }).click()
  await expect(page.getByRole('heading', { name: 'Breaking changes' })).toBeAttached()
  expect(asked).toHaveLength(1)
  await expect(page).toHaveTitle('Changelog · API docs · Parley')
  // The contents show where one is, although the page is the last of a long list.
  await expect(contents.getByRole('link', { name: 'Breaking changes' })).toBeInViewport()
  await expect(page.getByRole('searchbox', { name: 'Search the reference' })).toBeInViewport()
  await contents.getByRole('link', { name: 'Security', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Security' })).toBeInViewport()
  await expect(page).toHaveURL(/#change-security$/)
  await expectClean(page, 'changelog')
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await page.evaluate(() => document.querySelector('.page')?.scrollWidth)).toBeLessThanOrEqual(360)
  await page.setViewportSize({ width: 1280, height: 720 })

  await page.goto('/docs')
  await page.getByRole('searchbox', { name: 'Search the reference' }).fill('mermaid flowcharts')
  const found = contents.getByRole('link', { name: /mermaid/ }).first()
  await expect(found).toContainText('Changelog')
  await found.click()
  await expect(page.locator('li.docs-found')).toContainText('mermaid')
  await expect(page.locator('li.docs-found')).toBeInViewport()
  // An address of an entry leads to it, also before its text is there.
  await page.reload()
  await expect(page.locator('li.docs-found')).toBeInViewport()
  await page.evaluate(() => localStorage.setItem('parley.language', 'zh'))
  await page.goto('/docs?page=changelog')
  await expect(page.getByRole('heading', { name: '更新日志' })).toBeVisible()
  await expect(page.getByText('条目只有英文')).toBeVisible()
})

test('an endpoint names its errors, which lead to what they mean; the base URL is the reader’s own; models are live', async ({
  page,
  program,
}) => {
  await page.goto('/docs?page=moderation')
  const moderation = page.getByRole('region', { name: /POST \/v1\/moderations$/ })
  await moderation.getByText('Errors', { exact: false }).click()
  await moderation.getByRole('link', { name: 'insufficient_quota' }).click()
  const row = page.locator('tr.docs-found')
  await expect(row).toContainText('insufficient_quota')
  await expect(row).toContainText('what was delivered')
  await expect(row).toBeInViewport()
  await page.goto('/docs?page=models')
  await expect(page.getByText('Sign in to see which models')).toBeVisible()
  await openConsole(page, '/overview')
  await page.goto('/docs?page=models')
  await expect(page.getByRole('group', { name: 'Available models' }).getByText('parley-demo', { exact: true })).toBeVisible()
  await expectClean(page, 'models')
  await page.goto('/docs?page=limits')
  await expect(page.getByRole('article').getByRole('link', { name: 'Models' })).toHaveAttribute('href', '/models')
  const { port } = new URL(program.url)
  await page.goto('/docs')
  await expect(page.getByRole('article')).toContainText(`http://127.0.0.1:${port}/v1`)
})

test('on paper a page is whole, without what only leads elsewhere', async ({ page }) => {
  await page.goto('/docs?page=errors')
  await expect(page.locator('.docs h1, .docs h2').first()).toBeVisible()
  await page.emulateMedia({ media: 'print' })
  await expect(page.locator('.docs-side')).toBeHidden()
  const { whole, window } = await page.evaluate(() => ({ whole: document.documentElement.scrollHeight, window: innerHeight }))
  expect(whole).toBeGreaterThan(2 * window)
  expect(await page.locator('.page').evaluate((content) => content.scrollHeight - content.clientHeight)).toBe(0)
})

test('a call made from the page streams, and the key is kept nowhere', async ({ page, program, tolerate }) => {
  tolerate(/status of 401/)
  await openConsole(page, '/overview')
  await page.goto('/docs?page=conversations')
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  const chat = page.getByRole('region', { name: /POST \/v1\/chat\/completions$/ }).first()
  await expect(chat.locator('.hljs-string').first()).toBeVisible()
  await chat.getByRole('button', { name: 'Try it' }).click()
  const form = chat.getByRole('form')
  await form.getByLabel('API key').fill('sk-nothing-of-the-kind')
  await form.getByRole('button', { name: 'Send' }).click()
  await expect(form).toContainText('invalid_api_key')
  const key = program.printed('PARLEY_KEY')
  await form.getByLabel('API key').fill(key)
  await form.getByRole('button', { name: 'Send' }).click()
  await expect(form.getByRole('region')).toContainText('data: [DONE]')
  await expect(form).toContainText(/200, [\d,]+ ms, first byte [\d,]+ ms, req_/)
  await form.getByLabel('Request body').fill('{')
  await expect(form.getByLabel('Request body')).toHaveAccessibleDescription('The body is not valid JSON.')
  await expectClean(page, 'a call')
  expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]))).not.toContain(key)
})
