/**
 * Every field, union member and literal that the installed SDKs declare, through the codecs: nothing vanishes without a reason. A sample in
 * `npm test`, everything in a deep run and in `npm run walk:update`, which also writes the list and the page.
 */
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeep } from '#testing/sample'
import { figures, summary, withSection } from './figures.ts'
import { differences, readList, silentCells, writeList } from './silent-list.ts'
import { cellsOf, everyCase, sampleOf, type Way } from './walk.ts'

const list = join(import.meta.dir, 'silent.txt')
const page = join(import.meta.dir, '../../docs/mapping.md')
const isUpdate = process.env.PARLEY_UPDATE_WALK === '1'
const isWhole = isDeep || isUpdate

/** Silent cells, of some 58,000; a pattern of the list may cover a new one, so their number is held, too. It only shrinks. */
const mostSilent = 1495

/** Of some twelve thousand cases. */
const share = 0.15

const walks = await everyCase()
const walked: Record<Way, Awaited<ReturnType<typeof cellsOf>>> = { request: [], answer: [], stream: [] }
for (const walk of walks) walked[walk.way].push(...(await cellsOf(isWhole ? walk : sampleOf(walk, share))))

const readSilent = () => readList(readFileSync(list, 'utf8'))
const lines = new Set(Object.entries(walked).flatMap(([way, cells]) => cells.map(({ from, path }) => `${way} ${from} ${path}`)))

if (isUpdate) {
  writeFileSync(list, writeList(readSilent(), silentCells(walked)))
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), walks, walked))
}

test('nothing vanishes except what the reviewed list says, and the list has nothing else', () => {
  // Other endpoints may walk a line's path, and a pattern covers many: both are judged on the full set.
  const isWalked = (line: string) => isWhole || (lines.has(line) && !line.includes('*'))
  expect(differences(readSilent(), silentCells(walked), isWalked)).toEqual([])
})

test('no more cells are silent than were reviewed', () => {
  const silent = Object.values(walked)
    .flat()
    .filter(({ plain }) => plain === 'silent')
  expect(silent.length).toBeLessThanOrEqual(mostSilent)
})

test('within a dialect everything passes unchanged or is refused', () => {
  const changed = Object.values(walked)
    .flat()
    .filter(({ from, to, plain }) => from === to && plain !== 'same' && plain !== 'refused')
  expect(changed).toEqual([])
})

test('docs/mapping.md has the figures of the installed SDKs', () => {
  const now = readFileSync(page, 'utf8')
  expect(now).toContain(summary(walks))
  if (isWhole) expect(now).toBe(withSection(now, walks, walked))
})

console.log(`${isWhole ? 'The whole walk' : 'A sample of the walk'}:\n${figures(walked)}`)
