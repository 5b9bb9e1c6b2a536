import { createMemo } from 'solid-js'
import { t } from '#client/features/playground/messages/messages.ts'
import { ModelList } from '#client/features/playground/models/model-list.tsx'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { Dialog } from '#client/ui/dialog.tsx'

/** Chooses another model to regenerate a reply. The conversation keeps its own model. */
export function RegenerateDialog(props: { page: PageContext; onClose(): void }) {
  const { playground, actions, view } = props.page
  const reply = createMemo(() => {
    const one = playground.message(view.replyToRegenerate() ?? '')
    return one?.role === 'assistant' ? one : undefined
  })
  // Models that are gone must not be offered.
  playground.catalogue.reload()
  const group = () => reply()?.group ?? playground.group()
  const rows = createMemo(() => {
    const listed = playground.catalogue.models(group())
    return listed.state === 'ready' ? listed.rows : []
  })
  return (
    <Dialog title={t('regenerateWith')} intro={t('otherModelIntro')} wide onClose={props.onClose}>
      <div class="-mx-5 -mb-5 border-t border-line">
        <ModelList
          rows={rows()}
          chosen={reply()?.model ?? null}
          group={undefined}
          onChoose={(model) => {
            const one = reply()
            props.onClose()
            if (one) actions.regenerate(one.id, { group: group(), model })
          }}
        />
      </div>
    </Dialog>
  )
}
