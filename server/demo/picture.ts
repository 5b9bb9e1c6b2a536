/** Images of the demo: every prompt has its own fixed pattern. */
import { crc32 } from 'node:zlib'

/** Cells along each side. */
const finest = 16

/** A PNG of this size. `coarseness` halves the number of cells that many times: a partial image has larger cells. */
export async function paint(prompt: string, width: number, height: number, coarseness = 0): Promise<Uint8Array> {
  const hash = crc32(Buffer.from(prompt))
  const cells = finest >> coarseness
  const line = (row: number) => {
    const y = Math.floor((row * cells) / height)
    // The left half is mirrored, which looks better.
    const columns = Array.from({ length: width }, (_, x) => Math.min(x, width - 1 - x))
    return Uint8Array.from([0, ...columns.map((x) => shade(hash, Math.floor((x * cells) / width), y, cells))])
  }
  const lines = new Map<number, Uint8Array>()
  const rows = Array.from({ length: height }, (_, row) => {
    const y = Math.floor((row * cells) / height)
    const drawn = lines.get(y) ?? line(row)
    lines.set(y, drawn)
    return drawn
  })
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  // Eight bits per pixel, indexed colour.
  head.set([8, 3], 8)
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  const pixels = await deflated(Buffer.concat(rows))
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('PLTE', palette(hash)),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** One of four colours. */
function shade(hash: number, x: number, y: number, cells: number): number {
  const scale = finest / cells
  const mixed = Math.imul(hash ^ (x * scale * 0x9e3779b1), 0x85ebca6b) ^ Math.imul(y * scale + 1, 0xc2b2ae35)
  return ((mixed >>> 13) ^ (mixed >>> 27)) & 3
}

/** Three bytes per colour, from dark to light. */
function palette(hash: number): Buffer {
  const tint = [hash & 0xff, (hash >>> 8) & 0xff, (hash >>> 16) & 0xff]
  return Buffer.from([0.2, 0.5, 0.8, 1].flatMap((light) => tint.map((part) => Math.round(light * (95 + part * 0.625)))))
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}

const deflated = (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> =>
  new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'))).bytes()
