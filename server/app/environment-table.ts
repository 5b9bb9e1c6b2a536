/**
 * The environment table of docs/operations.md, generated from code so that it cannot become stale. The block is between two HTML
 * comments with its name. `environment-table.test.ts` fails when it is stale, and rewrites it when PARLEY_UPDATE_DOCS is set.
 */
import { variables } from './config.ts'

/** The environment table as Markdown. */
export function environmentTable(): string {
  const rows = variables.map(({ name, shown, meaning }) => `| \`${name}\` | ${shown} | ${meaning} |`)
  return ['| Variable | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

/** `document` with the block `name` replaced by `content`. Throws when the document has no such block. */
export function withBlock(document: string, name: string, content: string): string {
  const [open, close] = [`<!-- ${name} -->\n`, `\n<!-- /${name} -->`]
  const start = document.indexOf(open)
  const end = document.indexOf(close, start)
  if (start < 0 || end < 0) throw new Error(`the document has no block named ${name}`)
  return document.slice(0, start + open.length) + content + document.slice(end)
}
