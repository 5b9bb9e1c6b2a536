/** The auditor's walk of docs/billing.md, run as printed: only the ports are others. */
import { expect, test } from 'bun:test'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { engines } from '#testing/database/database'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { freePort } from '#testing/free-port'

const root = join(import.meta.dir, '..')
const page = readFileSync(join(root, 'docs/billing.md'), 'utf8')
const [walk = '', cluster = ''] = [...page.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, text]) => text)

test.each([...engines])(
  'on %s every check finds the books exact, after a crash too',
  async (engine) => {
    const database = engine === 'postgres' ? await newPostgresDatabase() : undefined
    const [port, second] = [await freePort(), await freePort()]
    const printed = database ? `${walk}\n${cluster}` : walk
    const script = printed.replaceAll('3000', `${port}`).replaceAll('3001', `${second}`)
    const { PATH = '', HOME = '' } = process.env
    const env = { PATH, HOME, PARLEY_PORT: `${port}`, ...(database && { DATABASE_URL: database.url }) }
    // In a group of its own, so that nothing that the walk started is left when it fails.
    const child = Bun.spawn(['setsid', 'bash', '-ec', `${script}\necho "WALK=$WALK"`], { cwd: root, env, stdout: 'pipe', stderr: 'pipe' })
    try {
      const [said, complaint] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
      expect([said.match(/^.*WRONG.*$/gm) ?? [], complaint.match(/error.*/i)?.[0], await child.exited]).toEqual([[], undefined, 0])
      const checks = [...said.matchAll(/The books at \S+: (\S+)\. Balances/g)].map(([, outcome]) => outcome)
      expect(checks).toEqual(Array.from({ length: database ? 5 : 4 }, () => 'exact'))
      // Four requests and a grant; then six more, one row and one entry each.
      expect(said).toContain('ledger   exact     1 wallets, 5 entries')
      expect(said).toMatch(/journals exact {5}\d journals, 4 requests/)
      const cost = /"cost": ?"([\d.]+)"/.exec(said)?.[1]
      expect(Number(cost)).toBeGreaterThan(0)
      expect(said).toContain(`"amount":"-${cost}"`)
      expect(said).not.toContain('was not looked at')
      const folder = /WALK=(\S+)/.exec(said)?.[1]
      if (folder) rmSync(folder, { recursive: true, force: true })
    } finally {
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {
        // Everything has ended.
      }
      await database?.drop()
    }
  },
  180_000,
)
