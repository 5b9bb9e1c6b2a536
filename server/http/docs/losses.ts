/** Parses docs/losses.md into chapters and tables. The file is generated, so only the Markdown that it uses is supported. */

/** One table of losses. */
export interface LossTable {
  title: string
  head: string[]
  rows: string[][]
  /** Footnotes of the table, numbered from 1. */
  reasons: string[]
}

/** A chapter of the page: requests or answers. */
export interface LossChapter {
  title: string
  intro: string[]
  tables: LossTable[]
}

/** docs/losses.md as data. */
export interface LossPage {
  intro: string[]
  /** Legend of the tables. */
  legend: string[]
  chapters: LossChapter[]
}

/** Chapters (`##`) with tables (`###`); paragraphs and lists before the first chapter are its introduction. */
export function readLosses(markdown: string): LossPage {
  const [opening = '', ...chapters] = markdown.split(/^## /m)
  const blocks = blocksOf(opening).filter((block) => !block.startsWith('# '))
  const isList = (block: string) => block.startsWith('- ')
  return {
    intro: blocks.filter((block) => !isList(block)).map(joined),
    legend: blocks.filter(isList).flatMap((block) => block.split(/^- /m).slice(1).map(joined)),
    chapters: chapters.map(readChapter),
  }
}

function readChapter(text: string): LossChapter {
  const [opening = '', ...tables] = text.split(/^### /m)
  const [title = '', ...intro] = blocksOf(opening)
  return { title, intro: intro.map(joined), tables: tables.map(readTable) }
}

function readTable(text: string): LossTable {
  const [title = '', grid = '', reasons = ''] = blocksOf(text)
  const [head = [], , ...rows] = grid.split('\n').map(cellsOf)
  return { title, head, rows, reasons: reasons === '' ? [] : reasons.split('\n').map((line) => line.replace(/^\d+\. /, '')) }
}

const blocksOf = (text: string) =>
  text
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .filter((block) => block !== '')

const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

const joined = (text: string) => text.trim().replaceAll('\n', ' ')
