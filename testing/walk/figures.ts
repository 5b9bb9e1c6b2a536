/** The figures of a walk: how many cells of each outcome, for every pair of dialects, as a table and as a section of a page. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Outcome, outcomes } from './outcome.ts'
import type { Walked } from './silent-list.ts'
import { type Walk, ways } from './walk.ts'

type Count = Record<Outcome, number> & { strict: number }

const none = (): Count => ({ same: 0, converted: 0, reported: 0, refused: 0, silent: 0, strict: 0 })

const titles = { request: 'requests', answer: 'answers', stream: 'events' } as const
const names: Readonly<Record<string, string>> = {
  chat: 'Chat',
  completions: 'Completions',
  responses: 'Responses',
  messages: 'Messages',
  gemini: 'Gemini',
}

/** A table in Markdown: the cells of each way from each dialect to each other one, and their sum. */
export function figures(walked: Walked): string {
  const sum = none()
  const rows = ways.flatMap((way) => {
    const pairs = new Map<string, Count>()
    for (const { from, to, plain, strict } of walked[way]) {
      const title = `${titles[way]}: ${nameOf(from)} to ${nameOf(to)}`
      const count = pairs.get(title) ?? none()
      pairs.set(title, count)
      for (const one of [count, sum]) {
        one[plain]++
        if (strict === 'refused' && plain !== 'refused') one.strict++
      }
    }
    return [...pairs].map(([title, count]) => row(title, count))
  })
  const head = ['', ...outcomes, 'refused in strict mode only']
  return [`| ${head.join(' | ')} |`, `| --- |${' ---: |'.repeat(head.length - 1)}`, ...rows, row('all', sum), ''].join('\n')
}

const sdks = ['openai', '@anthropic-ai/sdk', '@google/genai']
const modules = join(import.meta.dirname, '../../node_modules')

const versionOf = (name: string): string => JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')).version

/** The SDKs walked, with their versions, and the number of cases from their types. */
export function summary(walks: readonly Walk[]): string {
  const count = (way: string) => walks.filter((walk) => walk.way === way).reduce((sum, { cases }) => sum + cases.length, 0)
  const counts = ways.map((way) => `${count(way)} ${titles[way]}`).join(', ')
  return `The types of ${sdks.map((name) => `\`${name}\` ${versionOf(name)}`).join(', ')} gave ${counts}.`
}

const [start, end] = ['<!-- walk: made by npm run walk:update -->', '<!-- /walk -->']

/** The page with its section on the walk updated. */
export function withSection(page: string, walks: readonly Walk[], walked: Walked): string {
  const [before = '', rest = ''] = page.split(start)
  const after = rest.split(end)[1] ?? '\n'
  return `${before}${start}\n\n${summary(walks)}\n\n${figures(walked)}\n${end}${after}`
}

const nameOf = (side: string) => names[side] ?? side

const row = (title: string, count: Count) => `| ${[title, ...outcomes.map((one) => count[one]), count.strict].join(' | ')} |`
