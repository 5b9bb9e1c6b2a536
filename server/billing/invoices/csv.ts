/** Comma-separated values by RFC 4180: quoted fields, doubled quotes, line breaks inside quotes; a byte order mark is skipped. */

/** The rows of the text, each with its fields. Empty lines are skipped. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = text.startsWith('\uFEFF') ? 1 : 0
  const end = () => {
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  while (at < text.length) {
    const [field, next] = text[at] === '"' ? quoted(text, at + 1) : plain(text, at)
    row.push(field)
    at = next
    if (text[at] === ',') {
      at += 1
      // A line that ends with a comma ends with an empty field.
      if (at < text.length && text[at] !== '\r' && text[at] !== '\n') continue
      row.push('')
    }
    while (text[at] === '\r' || text[at] === '\n') at += 1
    end()
  }
  return rows
}

function plain(text: string, from: number): [field: string, next: number] {
  let at = from
  while (at < text.length && text[at] !== ',' && text[at] !== '\r' && text[at] !== '\n') at += 1
  return [text.slice(from, at), at]
}

function quoted(text: string, from: number): [field: string, next: number] {
  let field = ''
  let begun = from
  for (;;) {
    const quote = text.indexOf('"', begun)
    if (quote < 0) return [field + text.slice(begun), text.length]
    field += text.slice(begun, quote)
    if (text[quote + 1] !== '"') return [field + plain(text, quote + 1)[0], plain(text, quote + 1)[1]]
    field += '"'
    begun = quote + 2
  }
}
