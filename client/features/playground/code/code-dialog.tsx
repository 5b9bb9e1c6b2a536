import { createMemo, createSignal, For, Show } from 'solid-js'
import { createDialectPreference, DialectChoice, DialectNotes } from '#client/features/playground/dialects/dialect-choice.tsx'
import { createRewrittenRequest } from '#client/features/playground/dialects/rewritten-request.ts'
import { CodeBlock } from '#client/features/playground/markdown/code-block.tsx'
import { t } from '#client/features/playground/messages/messages.ts'
import { buildBody, type ChatBody } from '#client/features/playground/reply/request-body.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import { readLocalStorage, writeLocalStorage } from '#client/ui/local-storage.ts'
import { languages, type SnippetLanguage, snippet } from './snippets.ts'

const names: Record<SnippetLanguage, { label: string; highlight: string }> = {
  curl: { label: 'curl', highlight: 'bash' },
  python: { label: 'Python', highlight: 'python' },
  typescript: { label: 'TypeScript', highlight: 'typescript' },
}

/** The conversation as a call from a program, in each dialect and language. */
export function CodeDialog(props: { page: PageContext; draft: string; onClose(): void }) {
  const { playground } = props.page
  const stored = languages.find((one) => one === readLocalStorage('snippet'))
  const [language, setLanguage] = createSignal<SnippetLanguage>(stored ?? 'curl')
  const [dialect, setDialect] = createDialectPreference()
  /** The request, or why there is none. */
  const asked = createMemo((): ChatBody | string => {
    const of = playground.target()
    if (of === null) return t('noModel')
    const path = playground.path()
    const last = path.at(-1)
    // After a reply, a program needs the next question to send.
    const asks = last?.role === 'user' || last?.role === 'tool'
    const next = { id: '', conversation: '', parent: null, at: 0, role: 'user' as const, text: props.draft || t('yourMessage') }
    try {
      return buildBody(
        of,
        playground.conversation().settings,
        asks ? path : [...path, next],
        playground.catalogue.model(of.group, of.model),
      )
    } catch {
      return t('failSettingsDetail')
    }
  })
  const body = () => {
    const one = asked()
    return typeof one === 'string' ? undefined : one
  }
  const rewritten = createRewrittenRequest(body, dialect)
  const code = createMemo(() => {
    const of = body()
    const now = rewritten()
    if (of === undefined) return String(asked())
    if (now.state !== 'ready') return undefined
    const call = { dialect: now.dialect, model: of.model, stream: of.stream === true, body: now.body, origin: location.origin }
    return snippet(language(), call)
  })
  return (
    <Dialog title={t('viewCode')} intro={t('viewCodeIntro')} wide onClose={props.onClose}>
      <div class="mb-3 flex flex-wrap gap-2">
        <DialectChoice dialect={dialect()} onChoose={setDialect} />
        <fieldset class="seg w-fit max-w-full" aria-label={t('language')}>
          <For each={languages}>
            {(name) => (
              <button
                type="button"
                aria-pressed={language() === name}
                onClick={() => {
                  setLanguage(name)
                  writeLocalStorage('snippet', name)
                }}
              >
                {names[name].label}
              </button>
            )}
          </For>
        </fieldset>
      </div>
      <div class="grid gap-3" aria-busy={rewritten().state === 'waiting' ? 'true' : undefined}>
        <DialectNotes rewritten={rewritten()} dialect={dialect()} />
        <Show when={code()}>
          {(text) => (
            <div class="max-h-[60dvh] overflow-auto" data-snippet={`${dialect()} ${language()}`}>
              <CodeBlock language={names[language()].highlight} code={text()} open={false} />
            </div>
          )}
        </Show>
      </div>
    </Dialog>
  )
}
