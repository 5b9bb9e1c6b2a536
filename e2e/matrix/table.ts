/** The table of results for readers: four upstreams for every client, and why cells are empty. */
import { upstreamNames } from './cell.ts'

/** The results of both modes by conversation, client and upstream, and what could not be asked. */
export interface Results {
  signs: Map<string, string[]>
  /** Cells without a test, by reason. */
  reasons: Map<string, number>
  /** Limitations of clients that affect what is shown. */
  notes: string[]
}

/** The key of a cell in `signs`. */
export const keyOf = (conversation: string, client: string, upstream: string) => `${conversation} / ${client} / ${upstream}`

const perTable = 4
const column = 13

/** Formats the table. */
export function tableOf(conversations: string[], clients: string[], { signs, reasons, notes }: Results): string {
  const all = [...signs.values()].flat()
  const count = (sign: string) => all.filter((one) => one === sign).length
  const tables: string[] = []
  for (let from = 0; from < clients.length; from += perTable)
    tables.push(onePart(conversations, clients.slice(from, from + perTable), signs))
  return [
    'client above, upstream below; first sign whole, second streamed: + answered, r refused as planned, - cannot be asked, X wrong',
    ...tables,
    ...[...reasons].map(([reason, cells]) => `- ${reason}: ${cells}`),
    ...notes.map((note) => `* ${note}`),
    `${count('+')} answered, ${count('r')} refused as planned, ${count('-')} cannot be asked, ${count('X')} wrong`,
    '',
  ].join('\n')
}

function onePart(conversations: string[], clients: string[], signs: Results['signs']): string {
  const width = Math.max(...conversations.map((name) => name.length))
  const rowOf = (head: string, cells: string[]) => `${head.padEnd(width)} ${cells.map((cell) => `| ${cell.padEnd(column)}`).join('')}`
  const initials = upstreamNames.map((name) => name[0]?.toUpperCase()).join('  ')
  const rows = conversations.map((conversation) => {
    const cells = clients.map((client) =>
      upstreamNames.map((upstream) => (signs.get(keyOf(conversation, client, upstream)) ?? ['?']).join('').padEnd(2)).join(' '),
    )
    return rowOf(conversation, cells)
  })
  const heads = clients.map((client) => client.split(' '))
  return [
    rowOf(
      '',
      heads.map(([first = '']) => first),
    ),
    rowOf(
      '',
      heads.map(([, ...rest]) => rest.join(' ')),
    ),
    rowOf(
      '',
      clients.map(() => initials),
    ),
    ...rows,
    '',
  ].join('\n')
}
