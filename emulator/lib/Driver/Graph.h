//===- Graph.h - Graphs and what is made of them ----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_GRAPH_H
#define CHEEMS_EMULATOR_DRIVER_GRAPH_H

#include "Work.h"

#include <map>
#include <memory>
#include <vector>

namespace cheems::emulator::driver {

struct Graph;
struct GraphExec;
struct Node;
struct Operation;
struct Stream;

/// One edge, seen from one of its ends.
struct Edge {
  Node *node;
  CUgraphEdgeData data{};

  bool isProgrammatic() const {
    return data.type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  }
};

struct Node {
  CUgraphNode handle = nullptr;
  Graph *graph = nullptr;
  std::unique_ptr<Work> work;
  std::vector<Edge> before, after;
  /// The node that this one is a copy of, for cuGraphNodeFindInClone.
  CUgraphNode original = nullptr;
};

/// Nodes are kept in the order in which they were made, so that each run of a
/// program sees the same order.
struct Graph : std::enable_shared_from_this<Graph> {
  Graph() = default;
  ~Graph();
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  CUgraph handle = nullptr;
  CUgraph original = nullptr;        ///< of a clone
  std::weak_ptr<GraphExec> instance; ///< that was made of it last
  std::vector<std::shared_ptr<Node>> nodes;

  /// With a handle of its own. `before` are nodes of this graph.
  Node &add(std::unique_ptr<Work> work, const std::vector<Edge> &before);
  void addEdge(Node &from, Node &to, const CUgraphEdgeData &data);
  void removeEdge(Node &from, Node &to);
  void remove(Node &node);
  /// A copy; nodes have handles only `withHandles`.
  std::shared_ptr<Graph> clone(bool withHandles) const;
  /// Nodes, each after those it depends on. Empty if there is a cycle.
  std::vector<Node *> inOrder() const;
};

/// A graph that can be launched: a copy of its source at that time.
struct GraphExec {
  CUgraphExec handle = nullptr;
  unsigned long long flags = 0;
  std::shared_ptr<Graph> graph;
  std::map<CUgraphNode, bool> disabled;
  std::shared_ptr<Operation> last; ///< of the launch before

  /// The node made of `source`, a node of the graph that this was made of.
  Node &at(CUgraphNode source);
};

/// A graph as one node of another.
class ChildGraphWork : public Work {
public:
  explicit ChildGraphWork(std::shared_ptr<Graph> graph)
      : graph(std::move(graph)) {}

  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_GRAPH; }
  std::unique_ptr<Work> clone() const override;
  Progress run(Context &, bool) override { return Progress::done; }

  std::shared_ptr<Graph> graph;
};

/// cuGraphAddEventRecordNode and cuGraphAddEventWaitNode.
class EventWork : public Work {
public:
  EventWork(CUgraphNodeType kind, CUevent event) : kind(kind), event(event) {}

  CUgraphNodeType type() const override { return kind; }
  std::unique_ptr<Work> clone() const override {
    return std::make_unique<EventWork>(*this);
  }
  Progress run(Context &, bool) override { return Progress::done; }

  CUgraphNodeType kind;
  CUevent event;
};

std::shared_ptr<Graph> findGraph(CUgraph handle);
Node &findNode(CUgraphNode handle);

/// Submits nodes as operations of the stream.
void launchGraph(Context &context, Stream &stream, const Graph &graph,
                 const std::map<CUgraphNode, bool> &disabled);

} // namespace cheems::emulator::driver

#endif
