/** The codes that were just made, as a file for a shop: CSV with a line for each. */
import type { CodeRow } from '#shared/console/selling'

/** A code with its row, as the answer that made it has it. */
export type MadeCode = CodeRow & { code: string }

/** The file: RFC 4180, with what each is worth. */
export function codesFile(codes: readonly MadeCode[]): string {
  const lines = codes.map(({ code, value, plan, expiresAt, note, batch }) => [
    ...[code, value, plan?.name ?? '', plan ? String(plan.days) : '', expiresAt ?? '', note, batch],
  ])
  return [['code', 'value_usd', 'plan', 'days', 'expires_at', 'note', 'batch'], ...lines]
    .map((cells) => `${cells.map(cell).join(',')}\r\n`)
    .join('')
}

/** Quoted where it must be; with an apostrophe before what a spreadsheet may take for a formula. */
function cell(text: string): string {
  const plain = text.replace(/^(?=\s*[=+\-@|%])/, "'")
  return /[",;\t\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
