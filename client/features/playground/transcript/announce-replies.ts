import { createEffect, createMemo, on, onCleanup } from 'solid-js'
import type { Reply } from '#client/features/playground/conversation/conversation.ts'
import { explainFailure } from '#client/features/playground/failures/explain-failure.ts'
import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { announce, announceError } from '#client/ui/announcer.tsx'

const quietMs = 10_000
const longestReadOut = 400

/** Announces the progress of a reply to screen readers: started, still running after a silence, ended. */
export function announceReplies(page: PageContext): void {
  const { playground, view } = page
  let quiet: ReturnType<typeof setTimeout> | undefined
  const runningId = createMemo(() => playground.running()?.id)
  createEffect(
    on(
      runningId,
      (id, before) => {
        clearTimeout(quiet)
        if (id !== undefined) {
          announce(t('generating'))
          quiet = setTimeout(() => announce(t('stillGenerating')), quietMs)
        } else if (before !== undefined) {
          const ended = playground.message(before)
          if (ended?.role === 'assistant') tellEnd(ended, view.replyAnnouncements() === 'end')
        }
      },
      { defer: true },
    ),
  )
  onCleanup(() => clearTimeout(quiet))
}

function tellEnd(reply: Reply, aloud: boolean): void {
  if (reply.failure) announceError(t(explainFailure(reply.failure, reply.text !== '').title))
  else if (reply.state === 'stopped') announce(t('stopped'))
  else if (aloud) {
    const words = reply.text.trim().split(/\s+/).length
    announce(reply.text.length <= longestReadOut ? reply.text : t('replyComplete', { count: words }))
  }
}
