/** Pages of what parley.yaml declares: read-only, and clean in both themes and at 320 pixels. */
import { administrator } from '#testing/program/program'
import { expect, test } from './support/browser-test.ts'
import { expectClean, openConsole } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'

const config = `
groups:
  declared: { description: From the file, ratio: 0.8, budget: { daily: "5" }, fallbacks: { gpt-file: { error: [gpt-spare] } } }
channels:
  - { name: file-channel, vendor: openai-compatible, baseUrl: "http://127.0.0.1:9/v1", keys: [sk-of-the-file], groups: [declared], models: [gpt-file] }
prices:
  gpt-file: { input: 1, output: 2 }
users:
  - { name: ann, groups: [declared], balance: 5 }
keys:
  - { name: file-key, user: ann, key: sk-declared-in-the-file-0001 }
fallbacks:
  gpt-file: { error: [gpt-spare] }
`

test.use({ programOptions: { env: administrator, config } })

test('what the file declares is read-only, says so, and is clean', async ({ page, program }) => {
  test.setTimeout(180_000)
  const api = await consoleApi(program)
  const rows = async (path: string) => ((await api('GET', path)) as { data: { id: string; name: string }[] }).data
  const idOf = async (path: string, name: string) => (await rows(path)).find((row) => row.name === name)?.id ?? ''
  const channel = await idOf('/api/channels', 'file-channel')
  const user = await idOf('/api/users', 'ann')
  const key = await idOf('/api/keys?all=true', 'file-key')
  await openConsole(page, '/overview')
  for (const path of [
    '/admin/channels',
    `/admin/channels/${channel}`,
    `/admin/channels/${channel}?tab=models`,
    `/admin/channels/${channel}?tab=connection`,
    `/admin/channels/${channel}?tab=costs`,
    `/admin/channels/${channel}?tab=advanced`,
    '/admin/users',
    `/admin/users/${user}?tab=settings`,
    `/keys/${key}`,
    '/admin/groups',
    '/admin/groups?open=declared',
    '/admin/prices?open=gpt-file',
    '/admin/settings',
  ])
    await test.step(path, async () => {
      await page.goto(path)
      await page.waitForLoadState('networkidle')
      await expect(page.getByText(/parley\.yaml|^file/).first()).toBeAttached()
      await expectClean(page, `${path}, of the file`)
    })
  await page.goto('/admin/groups?open=declared')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('After an error')).toHaveValue('gpt-file: gpt-spare')
  await expect(dialog.getByLabel('After an error')).toHaveAttribute('readonly', '')
  await expect(dialog.getByRole('button', { name: 'Save' })).toHaveCount(0)
})
