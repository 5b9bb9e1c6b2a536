/** Help and completion, from the same list as the commands; bash itself says what it would offer. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commands, runConsoleCommand } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The output of a command line that calls no server. */
async function printed(line: string): Promise<string> {
  const out: string[] = []
  const never = () => Promise.reject(new Error('nothing is read'))
  const files = { home: '/', read: never, write: never, append: never }
  const terminal = { env: {}, out: (text: string) => void out.push(text), error: () => {}, readText: never, confirm: never, files }
  expect(await runConsoleCommand(line.split(' '), terminal)).toBe(0)
  return out.join('\n')
}

test('help names every command, and completion offers them', async () => {
  const out = await printed('help')
  for (const { words } of commands) expect(out).toContain(`parley ${words}`)
  expect(await printed('users credit --help')).toContain('--reason TEXT')
  writeFileSync(join(folder, 'completion'), await printed('completion bash'))
  const offered = (typed: string) => {
    const words = typed.split(' ')
    const list = words.map((word) => `'${word}'`).join(' ')
    const { stdout, stderr } = Bun.spawnSync(
      [
        'bash',
        '-c',
        `. ${join(folder, 'completion')}; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _parley; echo "\${COMPREPLY[@]}"`,
      ],
      { stdout: 'pipe', stderr: 'pipe' },
    )
    expect(stderr.toString()).toBe('')
    return stdout.toString().trim().split(' ')
  }
  expect(offered('parley ')).toEqual(expect.arrayContaining(['keys', 'config', 'usage', 'route', 'db', 'books']))
  expect(offered('parley con')).toEqual(['config'])
  expect(offered('parley config ')).toEqual(['plan', 'apply', 'export'])
  expect(offered('parley keys create me --da')).toEqual(['--daily'])
  expect(offered('parley usage --b')).toEqual(['--by'])
  expect(offered('parley teams c')).toEqual(['create', 'caps', 'credit'])
  expect(offered('parley teams caps apps nils --we')).toEqual(['--weekly'])
  expect(await printed('completion fish')).toContain(
    "complete -c parley -n '__fish_seen_subcommand_from config; and __fish_seen_subcommand_from apply' -l yes",
  )
  expect(await printed('completion zsh')).toStartWith('#compdef parley')
})
