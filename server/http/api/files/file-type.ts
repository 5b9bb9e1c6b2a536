/** Name and type of an uploaded file. */

const types: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  xml: 'application/xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
}

const unknown = 'application/octet-stream'

/** The declared type, without parameters; if that is not specific, by the name. */
export function fileType(declared: string | null | undefined, name: string): string {
  const declaredType = (declared ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (/^[a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,100}$/.test(declaredType) && declaredType !== unknown) return declaredType
  return types[/\.(\w{1,8})$/.exec(name)?.[1]?.toLowerCase() ?? ''] ?? unknown
}

/** A name that is safe to show and send: no path, no control characters, at most 255 characters. */
export function fileName(declaredType: string | null | undefined): string {
  const last = (declaredType ?? '').split(/[/\\]/).at(-1) ?? ''
  const name = last
    .replace(/\p{Cc}/gu, '')
    .slice(0, 255)
    .toWellFormed()
  return name === '' ? 'file' : name
}
