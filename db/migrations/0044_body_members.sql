-- Who asked, where a team pays: a place in the team. Metadata only.
ALTER TABLE "kept_bodies" ADD COLUMN "member_id" text;