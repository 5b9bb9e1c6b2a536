/** parley.yaml at start: found and read before anything is opened, applied when the house stands. */
import { applyDeclaration, type Declared } from '#declare/apply'
import { readDeclaration } from '#declare/declaration'
import { readIfThere } from '#runtime/kept-file'

const usual = './parley.yaml'

/** Makes rows of the file; resolves to warnings, one line each. */
export type ApplyFile = (to: Declared) => Promise<string[]>

/** Throws with one clear line when the named file is missing or the file is wrong. */
export async function readConfigFile(file: string | undefined, env: Record<string, string | undefined>): Promise<ApplyFile> {
  const text = await readIfThere(file ?? usual)
  if (text === undefined && file !== undefined) throw new Error(`PARLEY_CONFIG names a file that is not there: ${file}`)
  if (text === undefined) return async () => []
  const declaration = readDeclaration(text, env)
  return (to) => applyDeclaration(declaration, to)
}
