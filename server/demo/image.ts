/** Describes an image by its metadata: type, size and, where the first bytes show it, width and height. */

const dataUrl = /^data:(image\/[\w.+-]{1,40})?[^,]{0,100}?(;base64)?,/i

/** A description for an answer: `image/png, 640 x 480, 12.3 kB`. Links are not fetched. */
export function describeImage(url: string): string {
  const match = dataUrl.exec(url.slice(0, 300))
  if (match === null) return 'a link (the demo does not fetch it)'
  const payload = url.slice(match[0].length)
  const bytes = match[2] === undefined ? payload.length : base64Length(payload)
  const size = match[2] === undefined ? undefined : dimensions(Buffer.from(payload.slice(0, 64), 'base64'))
  return [match[1] ?? 'unknown type', ...(size === undefined ? [] : [size]), readable(bytes)].join(', ')
}

const base64Length = (text: string) => Math.floor((text.replace(/=+$/, '').length * 3) / 4)

function dimensions(head: Buffer): string | undefined {
  if (head.length >= 24 && head.readUInt32BE(0) === 0x89504e47) return `${head.readUInt32BE(16)} x ${head.readUInt32BE(20)}`
  if (head.length >= 10 && head.toString('latin1', 0, 3) === 'GIF') return `${head.readUInt16LE(6)} x ${head.readUInt16LE(8)}`
  return undefined
}

const readable = (bytes: number) => (bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`)
