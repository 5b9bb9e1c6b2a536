import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FileFault, readIfThere } from './small-file.ts'

test('a file is read as UTF-8, and one that is not is a fault with its line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-small-file-'))
  const path = join(folder, 'parley.yaml')
  const read = (bytes: string | Buffer) => {
    writeFileSync(path, bytes)
    return readIfThere(path).catch((thrown: unknown) => thrown)
  }
  expect(await readIfThere(path)).toBeUndefined()
  expect(await read('')).toBe('')
  expect(await read('\ufeffname: Zoë \ufffd 中\r\n')).toBe('\ufeffname: Zoë \ufffd 中\r\n')
  const fault = await read(Buffer.from('# \nusers:\n  - { name: Zoë }\n', 'latin1'))
  expect(fault).toBeInstanceOf(FileFault)
  expect(fault).toMatchObject({ message: `${path} is not UTF-8: line 3 has other bytes` })
  expect(await read(Buffer.from('中\n中').subarray(0, -1))).toMatchObject({ message: `${path} is not UTF-8: line 2 has other bytes` })
  expect(await read(Buffer.from('\ufeffname: x\n', 'utf16le'))).toBeInstanceOf(FileFault)
  rmSync(folder, { recursive: true })
})
