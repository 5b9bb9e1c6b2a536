import { createMemo, createSignal, For, Show } from 'solid-js'
import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { copyWithNotice } from '#client/features/playground/text/copy-with-notice.ts'
import { Button, IconButton } from '#client/ui/button.tsx'
import { Dialog } from '#client/ui/dialog.tsx'
import { Field } from '#client/ui/field.tsx'
import { fillTemplate, parseTemplates, readStoredTemplates, storeTemplates, type Template, variablesIn } from './templates.ts'

/** Chooses, fills, saves and shares prompt templates. */
export function TemplatesDialog(props: { page: PageContext; draft: string; onClose(): void }) {
  const user = props.page.playground.user().id
  const [list, setList] = createSignal(readStoredTemplates(user))
  const [name, setName] = createSignal('')
  const [text, setText] = createSignal(props.draft)
  const [values, setValues] = createSignal<Record<string, string>>({})
  const [wrong, setWrong] = createSignal(false)
  const places = createMemo(() => variablesIn(text()), [], { equals: (a, b) => a.join('\n') === b.join('\n') })
  const keep = (templates: Template[]) => {
    setList(templates)
    storeTemplates(user, templates)
  }
  const save = () => {
    if (name().trim() === '' || text().trim() === '') return
    keep([...list().filter((one) => one.name !== name().trim()), { name: name().trim(), text: text() }])
  }
  const take = () => {
    const read = parseTemplates(text())
    setWrong(!read)
    if (read) keep([...list().filter((one) => !read.some((other) => other.name === one.name)), ...read])
  }
  const insert = (asSystem: boolean) => {
    const filled = fillTemplate(text(), values())
    props.onClose()
    if (asSystem) props.page.playground.setSettings({ system: filled })
    else props.page.compose(filled)
  }
  return (
    <Dialog
      title={t('templates')}
      intro={t('templatesIntro')}
      wide
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => insert(true)}>{t('useAsSystem')}</Button>
          <Button look="primary" onClick={() => insert(false)}>
            {t('insert')}
          </Button>
        </>
      }
    >
      <div class="grid gap-4 min-[760px]:grid-cols-[200px_1fr]">
        <div>
          <ul class="max-h-[260px] overflow-auto" aria-label={t('templates')}>
            <For each={list()} fallback={<li class="hint">{t('noTemplates')}</li>}>
              {(one) => (
                <li class="flex items-center">
                  <button
                    type="button"
                    class="nav flex-1"
                    aria-current={one.name === name() ? 'true' : undefined}
                    onClick={() => {
                      setName(one.name)
                      setText(one.text)
                      setValues({})
                    }}
                  >
                    <span class="truncate">{one.name}</span>
                  </button>
                  <IconButton
                    name="trash"
                    small
                    label={t('deleteNamed', { name: one.name })}
                    onClick={() => keep(list().filter((other) => other !== one))}
                  />
                </li>
              )}
            </For>
          </ul>
          <div class="mt-2 flex flex-wrap gap-1">
            <Button look="ghost" size="sm" icon="download" onClick={() => void copyWithNotice(JSON.stringify(list(), null, 2))}>
              {t('copyAll')}
            </Button>
            <Button look="ghost" size="sm" icon="upload" onClick={take}>
              {t('readPasted')}
            </Button>
          </div>
        </div>
        <div class="grid content-start gap-3">
          <div class="flex items-end gap-2">
            <div class="flex-1">
              <Field label={t('templateName')} value={name()} maxlength={120} onInput={(event) => setName(event.currentTarget.value)} />
            </div>
            <Button onClick={save}>{t('save')}</Button>
          </div>
          <textarea
            class="in h-[140px]!"
            aria-label={t('templateText')}
            placeholder={t('templateHint')}
            aria-invalid={wrong() ? 'true' : undefined}
            value={text()}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <Show when={wrong()}>
            <p class="wrong">{t('templatesRefused')}</p>
          </Show>
          <For each={places()}>
            {(place) => (
              <Field
                label={place}
                value={values()[place] ?? ''}
                onInput={(event) => {
                  const { value } = event.currentTarget
                  setValues((before) => ({ ...before, [place]: value }))
                }}
              />
            )}
          </For>
        </div>
      </div>
    </Dialog>
  )
}
