CREATE TABLE "interactions" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant" text NOT NULL,
	"key_id" text,
	"request_id" text NOT NULL,
	"state" text NOT NULL,
	"progress" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL,
	"sealed" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "interactions_tenant" ON "interactions" USING btree ("tenant","created_at");--> statement-breakpoint
CREATE INDEX "interactions_expires" ON "interactions" USING btree ("expires_at");