/** New codes as a CSV file for a shop, with a line for each. */
import type { CodeRow } from '#shared/console/selling'

/** A new code with its row, as returned on creation. */
export type MadeCode = CodeRow & { code: string }

/** The file (RFC 4180), with the value of each code. */
export function codesFile(codes: readonly MadeCode[]): string {
  const lines = codes.map(({ code, value, plan, expiresAt, note, batch }) => [
    ...[code, value, plan?.name ?? '', plan ? String(plan.days) : '', expiresAt ?? '', note, batch],
  ])
  return [['code', 'value_usd', 'plan', 'days', 'expires_at', 'note', 'batch'], ...lines]
    .map((cells) => `${cells.map(cell).join(',')}\r\n`)
    .join('')
}

/** Quoted if needed; with an apostrophe before text that a spreadsheet may take for a formula. */
function cell(text: string): string {
  const plain = text.replace(/^(?=\s*[=+\-@|%])/, "'")
  return /[",;\t\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
